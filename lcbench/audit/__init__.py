"""Checks that a method keeps no more of its old tasks than its setting promises."""
