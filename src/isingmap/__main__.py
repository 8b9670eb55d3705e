"""python -m isingmap"""

import sys

from isingmap.cli.main import main

sys.exit(main())
