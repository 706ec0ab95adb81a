"""Everything that can contradict itself in a suite file: names, claims, protocols, published figures."""
