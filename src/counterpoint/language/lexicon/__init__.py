"""What words mean: word lists, WordNet, curated senses of object names, attribute classes, everyday vocabulary."""
