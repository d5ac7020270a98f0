"""What regenerates generated files, the hooks of the docs site, and the benchmarks."""
