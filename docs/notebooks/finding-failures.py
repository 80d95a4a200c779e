# %% [markdown]
# # Finding failures
#
# A score says that something is wrong; it does not say what. This notebook goes from a score to the kind of question,
# to the answers, to the pictures.

# %%
import counterpoint as cp

lab = cp.Lab("lab")
lab.generate("rephrase", "order", "negation", items=150, limit=120)
lab.run("fusion")
lab.scores(by=())

# %% [markdown]
# **Which kind of question?** `by` cuts scores into slices: test, kind, relation, gold, or a tag of the suite.

# %%
lab.scores(suites=["negation"], metrics=["accuracy", "self_consistency"], by="kind")

# %% [markdown]
# **Right or consistent?** Outcomes are a table, one row per query, for pandas or Arrow. `consistent` tells of a variant
# whether its answer and that to its base satisfy the relation.

# %%
outcomes = lab.outcomes("fusion", "negation").to_pandas()
variants = outcomes[outcomes["role"] > 0]
variants.groupby("kind")["consistent"].mean().round(2)

# %% [markdown]
# **Which answers?** A model that says the same to both members of a pair is consistent nowhere under negation.

# %%
outcomes.groupby(["kind", "role"])["value"].value_counts().groupby(level=[0, 1]).head(2)

# %% [markdown]
# **Which pictures?** Each failed group with what was asked, what is right, and from which annotation that follows.

# %%
lab.failures("fusion", suite="negation", limit=3)

# %% [markdown]
# What several strong models contradict alike may be an error of the gold: `lab.label_errors(suite)` lists such queries,
# and [people can judge them](../how-to/find-label-errors.md).
