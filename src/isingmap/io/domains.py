"""What variables can be in files of other programs: -1/+1 or 0/1."""

DOMAINS = ("spin", "boolean")
