"""Judgments in Parquet: the columns of the five-way CSV, read and written without an object a row."""
