# %% [markdown]
# # Where does a memory fail?
#
# Two memories may answer equally few questions for opposite reasons: one lost the fact when it wrote its notes, the
# other has the fact and does not find it. Where a suite knows which turns of a conversation an answer rests on, each
# failed question has one cause, the first thing that went wrong:
#
# * **construction**: a needed turn is out of the memory's reach, or its fact is no longer in the text that stands for
#   it;
# * **retrieval**: it is in reach, and was not recalled for this question;
# * **reasoning**: it was recalled, and the answer was wrong all the same. This one is not the memory's fault.
#
# The conversations are made by a generator in the manner of LoCoMo, so nothing has to be downloaded. The *offline
# model*, a fixed set of rules, answers; a language model would reason better, but what a memory shows would be the
# same.

# %%
import pandas as pd
from IPython.display import Image

import bench

pd.set_option("display.width", 120)
strategies = ["full-history", "window:k=20", "bm25:k=10", "mem0", "summary"]
done = bench.run("locomo", strategies, split="generated", limit=2, out="runs/why")

# %% [markdown]
# ## How much does each get right?
#
# Two conversations with forty questions each. `evidence_recall` is the share of the needed turns that a context
# cites.

# %%
table = bench.table(done).set_index("strategy")
table[["n", "success_rate", "evidence_recall", "context_tokens_mean"]].round(3)

# %% [markdown]
# ## Why not the others?
#
# Shares of the questions whose answer has evidence; each line adds up to 1.

# %%
shares = bench.error_shares(done).set_index("strategy")
shares[["n", "succeeded", "construction", "retrieval", "reasoning"]].round(3)

# %%
Image(filename=bench.draw("errors", done, "errors.png"), width=760)

# %% [markdown]
# ## Look at one
#
# The items of a run are a data frame with one line a question. Here is a question of each strategy whose failure is
# one of retrieval.

# %%
items = done.items
failed = items[items["error_retrieval"] == 1.0].drop_duplicates("strategy").set_index("strategy")
failed[["item", "group", "evidence_recall"]]

# %% [markdown]
# `bench show` prints such a question with what the memory recalled; below it stand the needed turns and what became
# of them.

# %%
question = f"mem0@{failed.loc['mem0', 'item']}"
question

# %%
import subprocess
import sys

shown = subprocess.run(
    [sys.executable, "-m", "memfrontier", "show", "runs/why", question], capture_output=True, text=True, check=True
).stdout
print(shown[-1200:])

# %% [markdown]
# ## What came out
#
# * The whole history never loses anything; all its failures are reasoning, those of the player (55 % of the
#   questions).
# * `window:k=20` fails in construction: 95 % of the questions need a turn that has left the window. More turns would
#   help, a better search would not.
# * `summary` cites every turn, so its evidence recall is 1 like that of the whole history, and yet 71 % of the
#   questions fail in construction: the fact is no longer in the text. Evidence recall alone would have hidden that.
# * `bm25` and `mem0` have nearly everything and do not always find it: 19 % and 24 % fail in retrieval, at most 5 %
#   in construction. More results (`bm25:k=20`) or another way to search is what to try next.

# %%
# What is said above holds, or this notebook fails.
assert shares.loc["full-history", ["construction", "retrieval"]].tolist() == [0.0, 0.0]
assert shares["reasoning"].round(2)["full-history"] == 0.55
assert shares["construction"].round(2).loc[["window:k=20", "summary"]].tolist() == [0.95, 0.71]
assert table.loc["summary", "evidence_recall"] == table.loc["full-history", "evidence_recall"] == 1.0
assert shares["retrieval"].round(2).loc[["bm25:k=10", "mem0"]].tolist() == [0.19, 0.24]
assert shares.loc[["bm25:k=10", "mem0"], "construction"].max() < 0.05
