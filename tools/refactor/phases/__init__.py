# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Cuts a method at a call, into a half that dispatches and one that processes.

`cut_method` checks whether this is possible and what the second half needs from the
first. `migrate.halves` makes the halves of an override from its result.
"""
