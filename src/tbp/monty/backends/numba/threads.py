# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Loops whose iterations run in numba's threads.

numba's `prange` would compile the body of such a loop three times: by itself, with what
unpacks its arguments, and with the function around the loop.

A short loop is run by the caller alone: it would have to wait until every thread has
had its turn, which takes milliseconds where other processes keep the cores busy.
"""

from __future__ import annotations

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np.ufunc.parallel import _launch_threads

__all__ = ["for_each"]

_BYTES = ir.IntType(8).as_pointer()
_INTEGER = ir.IntType(64)
_INTEGERS = _INTEGER.as_pointer()

_SHORT = 200_000
"""Up to so many nanoseconds, threads save less than they may cost."""


@intrinsic
def for_each(typing_context, function, count, arguments, duration):  # noqa: ARG001
    """Call a function with each number below a count, and with further arguments.

    `duration` says about how many nanoseconds that takes in one thread.
    """
    called = function.get_call_type(typing_context, (types.int64, *arguments.types), {})

    def generate(context, builder, signature, values):
        del signature
        _launch_threads()
        context.active_code_library._reload_init.add(_launch_threads)
        compiled = function.dispatcher.overloads[called.args]
        context.active_code_library.add_linking_library(compiled.library)
        _, count, arguments, duration = values
        failed = cgutils.alloca_once_value(builder, ir.IntType(8)(0))
        shared = cgutils.pack_struct(builder, [arguments, failed])
        data = cgutils.alloca_once_value(builder, shared)
        kernel = _kernel(context, builder.module, compiled.fndesc, shared.type)
        no_array = cgutils.alloca_once_value(builder, _BYTES(None))
        counts = cgutils.alloca_once_value(builder, count)
        steps = cgutils.alloca_once_value(builder, _INTEGER(1))
        is_long = builder.icmp_signed(">", duration, _INTEGER(_SHORT))
        with builder.if_else(is_long) as (in_threads, alone):
            with in_threads:
                pointers = (kernel, no_array, counts, steps, data)
                _launch(builder, [builder.bitcast(one, _BYTES) for one in pointers])
            with alone:
                data = builder.bitcast(data, _BYTES)
                builder.call(kernel, [no_array, counts, steps, data])
        with cgutils.if_unlikely(
            builder, cgutils.is_not_null(builder, builder.load(failed))
        ):
            context.call_conv.return_user_exc(
                builder, MemoryError, ("a thread could not allocate memory",)
            )
        return context.get_dummy_value()

    return types.void(function, types.int64, arguments, types.int64), generate


def _launch(builder, pointers):
    threads = _function(builder.module, "get_num_threads", _INTEGER)
    launch = _function(
        builder.module,
        "numba_parallel_for",
        ir.VoidType(),
        *[_BYTES] * 5,
        *[_INTEGER] * 3,
    )
    builder.call(
        launch, [*pointers, _INTEGER(0), _INTEGER(1), builder.call(threads, ())]
    )


def _function(module, name, result, *arguments):
    return cgutils.get_or_insert_function(
        module, ir.FunctionType(result, arguments), name
    )


def _kernel(context, module, called, shared):
    """Return what threads call: several iterations, one after the other.

    numba's threads hand it a pointer for each array, here only one. That of the first
    iteration is null, and each further one a byte more, so it is the iteration's index.
    """
    kind = ir.FunctionType(
        ir.VoidType(), [_BYTES.as_pointer(), _INTEGERS, _INTEGERS, _BYTES]
    )
    kernel = ir.Function(module, kind, module.get_unique_name("in_threads"))
    kernel.linkage = "internal"
    pointers, counts, _, data = kernel.args
    builder = ir.IRBuilder(kernel.append_basic_block())
    first = builder.ptrtoint(builder.load(pointers), _INTEGER)
    values = builder.load(builder.bitcast(data, shared.as_pointer()))
    arguments = cgutils.unpack_tuple(builder, builder.extract_value(values, 0))
    function = context.declare_function(module, called)
    with cgutils.for_range(builder, builder.load(counts)) as loop:
        index = builder.add(first, loop.index)
        status, _ = context.call_conv.call_function(
            builder, function, called.restype, called.argtypes, [index, *arguments]
        )
        with cgutils.if_unlikely(builder, status.is_error):
            builder.store(ir.IntType(8)(1), builder.extract_value(values, 1))
    builder.ret_void()
    return kernel
