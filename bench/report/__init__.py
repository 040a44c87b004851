"""Items of runs to rows, and rows to text and figures. Reads data frames; knows no store, suite, strategy or model."""
