# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Decides whether code touches nothing but the learning module it belongs to.

Migrating moves code: what stands before a call of `super()` then runs before other
learning modules have their results. That changes nothing if the code uses only what its
learning module owns. `check` accepts code only where it can prove this.
"""
