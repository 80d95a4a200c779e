"""The built-in world: scenes, their drawing, and the questions, captions, dialogues and frames they give."""
