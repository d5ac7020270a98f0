"""Digests: canonical JSON and the manifests that bind files by SHA-256."""
