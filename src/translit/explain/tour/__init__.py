"""The pen-and-paper Transformer: the model of ``translit.model``, small enough for a calculator.

lesson.toml     the default vectors and weights, which is also the documented file format
lesson.py       reads, draws and writes vectors and weights
compute.py      puts them into the Transformer and runs it, rounding each step like a reader with a pencil
steps.py        matrices, and the arithmetic of each of their cells
panels.py       the trace of the run → the panels of the tour, in reading order
captions.py     what the panels say, in Chinese and English
view.py         the panels in the terminal
exercises.py    answer sheets, their marking, and the quiz

Where the weights of lesson.toml come from: the seven sentences that 我 爱 你 can make in this order, each to be
copied, 54 steps of AdamW (learning rate 0.01) without label smoothing, stopped at a mean loss of 0.3 so that
the guesses keep some doubt; one weight was held at 0.31; then all were rounded to two decimals. Of the runs
that still copied all seven sentences, the one was chosen where a head of the last layer looks at 我, 爱, 你 in turn.
"""
