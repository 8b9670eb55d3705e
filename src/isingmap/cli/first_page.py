"""What `isingmap` says by itself, to whom it was just installed for."""

FIRST_PAGE = """\
isingmap draws planar maps of yes/no answers: which variables go together when all
others are held fixed, as a graph without crossing lines, with exact probabilities.

Three commands to begin with:

  isingmap demo -o demo            the map of the 106th US Senate, from data that ship
                                   with it; then open demo/report.html
  isingmap fit table.csv -o map    the map of a table of your own
  isingmap infer map/model.json    exact answers from a model that was learned

A table is a CSV file (or TSV, gzipped, Parquet) with names in its first line, a row
for each observation and a column for each variable, with two values in each column:

  tired,worried,sleepless
  1,0,1
  0,0,1
  1,1,1

A column that is no variable is set aside (--id-column NAME). Empty cells have to be
spoken of (--missing em counts what is there). Counts are cut in two (--threshold 1:
1 and more is yes). What does not fit is said by name, with what to do.

isingmap --help lists all commands, isingmap COMMAND --help explains one. The tutorial
is docs/tutorial.md in the source of isingmap.
"""
