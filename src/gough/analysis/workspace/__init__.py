"""Which poses a robot reaches: samples and their states, growth from home, results, pictures."""
