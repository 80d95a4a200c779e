"""What comes from other tools and goes to them: their results matched to our suites, our suites in their layouts."""
