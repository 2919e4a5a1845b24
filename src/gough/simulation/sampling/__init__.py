"""What is sampled on a clock, in traced scalars: memory that does not flow, values held and late, numbers drawn by chance."""
