"""Table, machine and bulk engine give the same answer, on whole spaces and on random runs."""
