/* The page of three groups or more: its tables are sorted by their headings. */
"use strict";
document.querySelectorAll(".table").forEach(pageTables.makeSortable);
