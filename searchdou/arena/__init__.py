"""Matches, tournaments, their statistics, and the protocol by which any program takes a seat."""
