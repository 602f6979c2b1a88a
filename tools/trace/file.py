# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The file of a trace: a recording whose events are calls of a Monty.

monty     a Monty was made: its class and arguments, its learning modules with all
          their parts, and what they know
call      a method of it was called; for ``step`` with what the sensor modules reported
step      what the learning modules believed after a step
episode   their results at the end of an episode
end       how it ended
"""

from __future__ import annotations

from ..parity.recording import FileKind

__all__ = ["SUFFIX", "TRACE"]

TRACE = FileKind("monty-trace", 1, "trace", "make the trace again")
SUFFIX = ".trace.zip"
