"""How the built-in models are made: pictures and questions drawn from the world, networks, training, export."""
