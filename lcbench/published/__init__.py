"""Figures that papers print, shipped with streams as data, and ours set beside them."""
