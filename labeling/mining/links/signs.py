"""The signs that a comment asked for a rename, and what each weighs. All weights are here, to be judged together.

They are an order of trust, not probabilities: a name that nobody could guess outweighs a place, a place outweighs
words, and no sum of weak signs (naming words, same file, the commit's message) reaches a strong one.
"""

from __future__ import annotations

from typing import NamedTuple


class Sign(NamedTuple):
    name: str
    weight: float


# The reviewer wrote the code with the new name in it; the author needed only to accept it.
SUGGESTED = Sign("suggested", 6.0)
# A name of several words does not occur by chance before it exists.
NEW_NAME = Sign("new_name", 5.0)
# Somebody else of the thread said it, in answer to this comment.
NEW_NAME_IN_THREAD = Sign("new_name_in_thread", 3.0)
# Times the share of the added words that occur: a name inspired by the comment, or chance when they are few.
NEW_WORDS = Sign("new_words", 2.5)
# The comment hangs on the declaration; but a declaration draws comments on its type and visibility as well.
ON_DECLARATION = Sign("on_declaration", 3.0)
# Less with each line between them: a neighbour, the Javadoc, the first line of the body.
NEAR_DECLARATION = Sign("near_declaration", 1.5)
# The comment hangs on a call of the method, or on its like in another file.
ON_OLD_NAME = Sign("on_old_name", 1.0)
# It speaks of this method, though perhaps not of its name.
OLD_NAME = Sign("old_name", 2.0)
# Times the share of the dropped words that occur: all there is when the name only became shorter.
DROPPED_WORDS = Sign("dropped_words", 0.75)
# It speaks of names, though perhaps of another's. More of these words make it surer, up to a point.
NAMING_WORDS = Sign("naming_words", 1.0)
NAMING_WORDS_EACH_MORE = 0.25
NAMING_WORDS_MOST = 3
# The author says in the thread that it was done, which is true of most threads that ask for anything.
DONE = Sign("done", 1.5)
# An answer in the thread names the very commit.
COMMIT_CITED = Sign("commit_cited", 2.0)
# It may as well be about anything else in the file.
SAME_FILE = Sign("same_file", 0.5)
# The message says nothing about which comment it was: these lift all that have a sign of their own, a little.
MESSAGE_NAMES = Sign("message_names", 0.5)
MESSAGE_NAMING = Sign("message_naming", 0.25)
MESSAGE_REVIEW = Sign("message_review", 0.5)

# What is asked for after it was done was not the reason; a clock or a rebase can be wrong, so it is not a veto.
AFTER = Sign("after", -4.0)
# Nobody has a bot to thank for a good name, but some bots do post what a linter says of names.
BOT = Sign("bot", -3.0)
# The author's answer repeats the names of what it answers, and must not outrank it.
AUTHOR_ANSWERS = Sign("author_answers", -2.5)
# A note that the author leaves beside the code explains a rename and did not ask for it.
AUTHOR_ALONE = Sign("author_alone", -1.5)
# It names a method that the change renamed in another way, and this one not.
OTHER_RENAME = Sign("other_rename", -2.0)

# What a sibling was asked for holds for this one too, but nobody said so.
SIBLING = "sibling"
SIBLING_SHARE = 0.6
