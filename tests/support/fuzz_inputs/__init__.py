"""Damaged inputs of every form, each in a worker process with limits: `python -m tests.support.fuzz_inputs`.

An input is damaged at random and handed to the code that reads it. It must be refused in one sentence, or accepted and
then hold what it promises: a game is played to its end, a file is written and read again, a folder with digests gives
what the undamaged one gives. Anything else is a fault: another exception, a crash, a hang, a wrong acceptance.

A case follows from the seed, its number and the forms alone, whatever the number of workers. The inputs of faults are
kept in out/fuzz-inputs; `--replay FILE` tries one again.
"""
