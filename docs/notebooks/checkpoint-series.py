# %% [markdown]
# # A checkpoint series
#
# At which step was negation learnt, and did anything get lost since? Here a model is trained in the notebook and
# evaluated in memory as it learns; every evaluation is a *version* in the lab.
#
# The model is as small as one can be: logistic regression on the words of a question. It is blind to the picture, so it
# cannot become accurate; what changes is how consistent it is.

# %%
import zlib
from itertools import pairwise

import numpy as np

import counterpoint as cp

lab = cp.Lab("lab")
lab.generate("negation", "order", items=150, limit=150)
lessons = cp.Lab("lessons")
lessons.generate("negation", "order", split="train", items=150, limit=300)
rows = lessons.groups().records()
print(len(rows), "questions to learn from")

# %%
SIZE = 4096


def features(text):
    """Words and pairs of words, hashed."""
    words = text.lower().rstrip("?").split()
    return [zlib.crc32(" ".join(part).encode()) % SIZE for part in [*zip(words), *pairwise(words)]]


weights = np.zeros(SIZE)


def answer(pictures, queries):
    """The function that is evaluated: a batch of pictures and queries in, a reply to each out."""
    return ["yes" if weights[features(query.text)].sum() > 0 else "no" for query in queries]


# %% [markdown]
# The training loop calls `cp.evaluate` now and then. A function has no fingerprint, so `version` names its weights;
# `seconds` would end an evaluation that takes too long, with what was answered kept. With Hugging Face's Trainer,
# `counterpoint.integrations.CounterpointCallback` does the same.

# %%
rng = np.random.default_rng(0)
checkpoints = (10, 30, 100, 300, 1000, 3000)
for step in range(1, max(checkpoints) + 1):
    row = rows[rng.integers(len(rows))]
    own = features(row["text"])
    error = (row["gold"][0]["answer"] == "yes") - 1 / (1 + np.exp(-weights[own].sum()))
    np.add.at(weights, own, 0.1 * error)
    if step in checkpoints:
        evaluation = cp.evaluate(answer, lab, name="student", version=f"step-{step}")
        metrics = evaluation.metrics
        print(step, round(metrics["negation/accuracy"], 2), round(metrics["negation/self_consistency"], 2))

# %% [markdown]
# The history has each score with its interval, and says at which version it changed by more than chance explains.

# %%
history = lab.history("student", suites=["negation"], metrics=["self_consistency"])
print("\n".join(history.notes()))

# %% [markdown]
# A version that is good enough becomes the baseline, and a gate holds later ones against it. Where the data cannot
# tell, it says so, with the number of further groups that would decide.

# %%
lab.set_baseline("student@step-300")
lab.gate("student", ["negation.self_consistency not worse than baseline by 10 points", "unparsed <= 5 %"])

# %% [markdown]
# In CI the same rules decide by an exit code; see [gate a model](../how-to/gate-a-model.md).
