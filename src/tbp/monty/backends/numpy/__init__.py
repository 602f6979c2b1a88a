# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The evidence update of one graph, in numpy.

The functions take plain arrays and are written to be read. Faster backends are
compared with them bit for bit.
"""
