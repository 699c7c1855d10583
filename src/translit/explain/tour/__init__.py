"""The pen-and-paper Transformer: the model of ``translit.model``, small enough for a calculator.

lesson.toml     the default vectors and weights, which is also the documented file format
lesson.py       reads, draws and writes vectors and weights
compute.py      puts them into the Transformer and runs it, rounding each step like a reader with a pencil
steps.py        matrices, and the arithmetic of each of their cells
panels.py       the trace of the run → the panels of the tour, in reading order
captions.py     what the panels say, in Chinese and English
view.py         the panels in the terminal
exercises.py    answer sheets, their marking, and the quiz
"""
