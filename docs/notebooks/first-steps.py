# %% [markdown]
# # First steps
#
# Counterpoint asks a model the same thing in two ways, or two things that must not be answered alike, and holds the
# answers against each other. This notebook makes such tests, asks two models and looks at what they get wrong. Nothing
# is downloaded: pictures come from a built-in world, and two small models that were trained on it are in the package.

# %%
import counterpoint as cp

lab = cp.Lab("lab")  # a folder with everything: tests, answers, runs
lab.generate("negation", items=80, limit=60).to_pandas()[["suite", "groups", "queries"]]

# %% [markdown]
# A *group* is a base query with its variants, and the relation that the answers of a model that understands satisfy.
# Here: whoever says yes to "Is there a dog?" says no to "Is it true that there is no dog?".

# %%
for row in lab.groups("negation").records()[:4]:
    print(f"{row['role']}  {row['text']:<50} {row['gold'][0]['answer']}")

# %%
for model in ("fusion", "cnn-lstm"):
    lab.run(model)
lab.scores()

# %% [markdown]
# Accuracy near one half on yes and no is chance. *Self-consistency* asks for less than accuracy: that the two answers
# differ, right or wrong. *Comprehensive accuracy* is the share of pairs with both answers right.
#
# Is one model better? The comparison is paired: both were asked the same groups about the same pictures.

# %%
lab.compare("fusion", "cnn-lstm")

# %% [markdown]
# Behind every score are groups that can be looked at.

# %%
lab.failures("fusion", limit=2)

# %% [markdown]
# `counterpoint serve lab` shows all of this in the browser. Next: [a checkpoint series](checkpoint-series.ipynb).
