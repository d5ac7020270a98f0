"""What engines and providers report of requests: typed, and judged by what it shows alone."""
