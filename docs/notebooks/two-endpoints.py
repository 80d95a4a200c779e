# %% [markdown]
# # Comparing two endpoints
#
# Two servers offer a model, or one server two. Which is better at what you need, and is the difference chance?
# Any server with OpenAI's protocol will do. So that this notebook runs anywhere, two built-in models are put behind the
# package's own test server first; with servers of your own, begin below.

# %%
import base64
import re
from io import BytesIO

import numpy as np
from PIL import Image

import counterpoint as cp
from counterpoint.testing import ChatServer


class SentPictures(dict):
    """Pictures as they arrive with requests, by address."""

    def pixels(self, picture):
        return self[picture.address]


def serve(name):
    """A server that replies with the answers of a built-in model."""
    pictures = SentPictures()
    model = cp.model(name, pictures)

    def reply(request):
        sent = base64.b64decode(re.search(r"base64,([^'\"]+)", str(request.body))[1])
        picture = cp.Picture(f"sent:{request.picture}")
        pictures[picture.address] = np.asarray(Image.open(BytesIO(sent)).convert("RGB"))
        query = cp.Query(picture, request.words.splitlines()[0])
        return next(answer.value for _, answer in model.answer([query]))

    server = ChatServer(reply, models=(name,))
    server.open()
    return server


servers = {name: serve(name) for name in ("fusion", "cnn-lstm")}

# %% [markdown]
# From here on, names and addresses are all that matters. `estimate_run` tells what a run would take before anything is
# paid for.

# %%
lab = cp.Lab("lab")
lab.generate("order", "negation", items=100, limit=60)
reach = {name: {"base_url": server.base_url} for name, server in servers.items()}
print(lab.estimate_run("openai/fusion", **reach["fusion"]).notes()[0])

# %%
for name, how in reach.items():
    report = lab.run(f"openai/{name}", name=name, **how)
    print(report.name, report.outcome.asked, "asked,", report.outcome.failed, "failed")

# %% [markdown]
# The comparison is paired, corrected for the number of tests, and says which difference it could have found at all: a
# tie of few groups means little.

# %%
lab.compare("fusion", "cnn-lstm")

# %% [markdown]
# Where they disagree is where to look. Of the answers that one has right, how many does the other have right?

# %%
lab.coverage("fusion", "cnn-lstm")

# %%
for server in servers.values():
    server.close()
