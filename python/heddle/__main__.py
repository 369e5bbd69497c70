"""`python -m heddle` is the command line."""

from heddle import main

main()
