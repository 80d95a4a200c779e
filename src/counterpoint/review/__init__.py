"""Human validation: who sees what, votes, majorities, agreement."""
