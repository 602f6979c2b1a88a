# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""How numba compiles: a function that Python calls as one piece with all it calls.

By itself numba makes and optimizes machine code of each function, and of each again
within every function that calls it, directly or not.
"""

from __future__ import annotations

from typing import Any, ClassVar

import llvmlite.binding as llvm
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder, Flags
from numba.core.compiler_machinery import register_pass
from numba.core.environment import lookup_environment
from numba.core.typed_passes import NativeLowering

__all__ = ["PartCompiler", "WholeCompiler"]


class _Part(JITCodeLibrary):
    """LLVM's code of a function that only compiled functions call, as it is."""

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True


class _Whole(JITCodeLibrary):
    """Machine code of a function that Python calls, and of all that it calls."""

    def serialize_using_object_code(self) -> tuple[str, str, tuple[bytes, bytes]]:
        """Return what is kept on disk.

        Next to machine code numba keeps LLVM's, for functions that call this one. There
        are none, and to read it takes longer than all the rest. But the names of
        functions are read from it.
        """
        name, kind, (machine_code, _) = super().serialize_using_object_code()
        stubs = [
            f'define void @"{function.name}"() {{ ret void }}'
            for function in self.get_defined_functions()
            if function.linkage == llvm.Linkage.external
        ]
        names = llvm.parse_assembly("\n".join(stubs)).as_bitcode()
        return name, kind, (machine_code, names)


@register_pass(mutates_CFG=True, analysis_only=False)
class _PartLowering(NativeLowering):
    _name = "part_lowering"

    def run_pass(self, state: Any) -> bool:
        context = state.targetctx
        state.library = _Part(context.codegen(), state.func_id.func_qualname)
        state.flags.no_compile = True
        super().run_pass(state)
        # numba knows functions by what Python calls, which must be built in.
        never_called: list[None] = []
        key = never_called.append
        context.insert_user_function(key, state["cr"].fndesc, [state.library])
        state["cr"] = state["cr"]._replace(cfunc=key)
        return True


@register_pass(mutates_CFG=True, analysis_only=False)
class _WholeLowering(NativeLowering):
    _name = "whole_lowering"

    def run_pass(self, state: Any) -> bool:
        codegen = state.targetctx.codegen()
        state.library = _Whole(codegen, state.func_id.func_qualname)
        state.library.enable_object_caching()
        super().run_pass(state)
        # As is done where machine code is read from disk.
        for variable in state.library._final_module.global_variables:
            environment = lookup_environment(variable.name)
            if environment is not None:
                codegen.set_env(variable.name, environment)
        return True


class _Flags(Flags):
    """Settings that are compared faster, which numba does for every operation."""

    _defaults: ClassVar[dict[str, Any]] = {
        name: option.default for name, option in Flags.options.items()
    }

    def values(self) -> dict[str, Any]:
        return {**self._defaults, **self._values}


class _Compiler(CompilerBase):
    lowering: type

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.state.flags = _Flags(self.state.flags)

    def define_pipelines(self) -> list[Any]:
        pipeline = DefaultPassBuilder.define_nopython_pipeline(self.state)
        pipeline.passes = [
            (self.lowering if one is NativeLowering else one, why)
            for one, why in pipeline.passes
        ]
        pipeline.finalize()
        return [pipeline]


class PartCompiler(_Compiler):
    """For functions that only compiled functions call."""

    lowering = _PartLowering


class WholeCompiler(_Compiler):
    """For functions that Python calls."""

    lowering = _WholeLowering
