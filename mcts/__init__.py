"""Open-card tree search, rollouts, exact solvers and the average over samples, for any game.

It knows no game and imports nothing of `searchdou`. The search arrives with its own issue
(see CHANGELOG.md); the package is here so that the shape of the house is fixed from the start.
"""
