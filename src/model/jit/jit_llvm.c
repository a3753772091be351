/* SPDX-License-Identifier: MIT
 *
 * Entry points of libvc4vk_jit.so: compiles a program to host code with LLVM, in an LLVM context of its own.
 *
 * LLVM's global state lives until the process ends, and so does this file's. An LLVM target machine may be used by one
 * thread at a time, so idle ones are kept in a pool.
 */
#include <llvm-c/Analysis.h>
#include <llvm-c/Error.h>
#include <llvm-c/ErrorHandling.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include "model/jit/jit_code.h"
#include "model/jit/jit_emit.h"
#include "model/jit/jit_identity_gen.h"

/* Chosen by measurement: instcombine and gvn take a third of the compile time without making code faster, and a higher
 * level of the code generator does not help either. */
#define PASSES "mem2reg,early-cse,simplifycfg,adce"
#define LEVEL  LLVMCodeGenLevelLess

/* The host, as found by start(): written once, before the first compile. */
static struct {
    struct jit_calls calls;
    LLVMTargetRef target;
    char *triple, *cpu, *features;
    char *cold_features; /* for the functions of jit_call_cold() */
    bool has_umax, has_fma;
} host;

/* -- fatal errors of LLVM ------------------------------------------------------------------------------------------ */

/* By default LLVM ends the process on a fatal error. Instead the compilation is abandoned, with its memory, and no
 * other one is started, as LLVM may hold a lock. */
static _Thread_local jmp_buf *fatal_exit;
static atomic_bool broken;

static void on_fatal_error(const char *reason)
{
    if (!fatal_exit)
        return; /* not from one of our compilations */
    broken = true;
    longjmp(*fatal_exit, 1);
}

/* -- the host ----------------------------------------------------------------------------------------------------- */

/* Vector arithmetic must round toward zero and flush denormals as gpu_fp_enter() sets it up. On 32-bit Arm, NEON
 * ignores the rounding mode. */
static bool is_supported(void)
{
#if defined(__x86_64__) || defined(__aarch64__)
    return true;
#else
    return false;
#endif
}

static bool has_avx2(const char *features)
{
    return strstr(features, "+avx2") != NULL;
}

/* Without vzeroupper: LLVM would clear the upper halves of registers that a cold function must preserve. */
static char *cold_features(const char *features)
{
#if defined(__x86_64__)
    static const char more[] = "-vzeroupper";
#else
    static const char more[] = "";
#endif
    size_t length = strlen(features), size_B = length + sizeof more + 1;
    char *text = malloc(size_B);

    if (text)
        snprintf(text, size_B, "%s%s%s", features, length && more[0] ? "," : "", more);
    return text;
}

static bool choose_cpu(enum jit_host which)
{
    host.triple = LLVMGetDefaultTargetTriple();
    char *features = LLVMGetHostCPUFeatures();
    const char *level = NULL;

    host.has_umax = host.has_fma = true;
#if defined(__x86_64__)
    host.has_fma = has_avx2(features) && strstr(features, "+fma,") && which != JIT_HOST_BASE;
    if (which == JIT_HOST_BASE || (which == JIT_HOST_AVX2 && !has_avx2(features)))
        level = "x86-64", host.has_umax = false;
    else if (which == JIT_HOST_AVX2)
        level = "x86-64-v3";
#else
    (void)has_avx2;
    if (which != JIT_HOST_BEST)
        level = "generic";
#endif
    if (level) {
        host.cpu = LLVMCreateMessage(level);
        host.features = LLVMCreateMessage("");
        LLVMDisposeMessage(features);
    } else {
        host.cpu = LLVMGetHostCPUName();
        host.features = features;
    }
    return host.triple && host.cpu && host.features && (host.cold_features = cold_features(host.features));
}

#if defined(__SANITIZE_THREAD__)
static void make_globals(void);
#endif

static bool start(const struct jit_calls *calls, enum jit_host which)
{
    LLVMTargetRef target;
    char *message = NULL;

    host.calls = *calls; /* also on a second start(): the driver was unloaded and loaded again at another address */
    if (host.target)
        return true;
    if (!is_supported() || LLVMInitializeNativeTarget() || LLVMInitializeNativeAsmPrinter() || !choose_cpu(which))
        return false;
    LLVMInstallFatalErrorHandler(on_fatal_error);
    if (LLVMGetTargetFromTriple(host.triple, &target, &message)) {
        LLVMDisposeMessage(message);
        return false;
    }
    host.target = target;
#if defined(__SANITIZE_THREAD__)
    make_globals();
#endif
    return true;
}

/* -- target machines ---------------------------------------------------------------------------------------------- */

#define MACHINES 8u /* size of the pool */

static struct {
    pthread_mutex_t mutex;
    LLVMTargetMachineRef idle[MACHINES];
    unsigned idle_count;
} machines = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static LLVMTargetMachineRef take_machine(void)
{
    LLVMTargetMachineRef machine = NULL;

    pthread_mutex_lock(&machines.mutex);
    if (machines.idle_count)
        machine = machines.idle[--machines.idle_count];
    pthread_mutex_unlock(&machines.mutex);
    return machine ? machine
                   : LLVMCreateTargetMachine(host.target, host.triple, host.cpu, host.features, LEVEL, LLVMRelocPIC,
                                             LLVMCodeModelSmall);
}

static void give_machine_back(LLVMTargetMachineRef machine)
{
    pthread_mutex_lock(&machines.mutex);
    bool kept = machines.idle_count < MACHINES;
    if (kept)
        machines.idle[machines.idle_count++] = machine;
    pthread_mutex_unlock(&machines.mutex);
    if (!kept)
        LLVMDisposeTargetMachine(machine);
}

/* -- a module ----------------------------------------------------------------------------------------------------- */

static void add_text(LLVMContextRef context, LLVMValueRef function, const char *key, const char *value)
{
    LLVMAttributeRef attribute =
        LLVMCreateStringAttribute(context, key, (unsigned)strlen(key), value, (unsigned)strlen(value));

    LLVMAddAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, attribute);
}

static void add_flag(LLVMContextRef context, LLVMValueRef function, const char *name)
{
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));

    LLVMAddAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                            LLVMCreateEnumAttribute(context, kind, 0));
}

static void add_attributes(LLVMContextRef context, LLVMValueRef function, bool is_cold)
{
    add_flag(context, function, "strictfp");
    add_flag(context, function, "nounwind");
    if (is_cold) {
        add_flag(context, function, "noinline");
        add_flag(context, function, "cold");
    }
    add_text(context, function, "target-cpu", host.cpu);
    add_text(context, function, "target-features", is_cold ? host.cold_features : host.features);
    add_text(context, function, "prefer-vector-width", "512");
    add_text(context, function, "min-legal-vector-width", "512");
    add_text(context, function, "denormal-fp-math", "preserve-sign,preserve-sign");
}

static const char *optimise(LLVMTargetMachineRef machine, LLVMModuleRef module)
{
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef error = LLVMRunPasses(module, PASSES, machine, options);

    LLVMDisposePassBuilderOptions(options);
    if (!error)
        return NULL;
    LLVMConsumeError(error);
    return "LLVM's passes failed";
}

/* Emits and optimises the module. NULL, or an error message. */
static const char *build(LLVMTargetMachineRef machine, LLVMContextRef context, LLVMModuleRef module,
                         const struct jit_program *program, const struct jit_plan *plan, uint32_t piece)
{
    struct jit_emitter e = {.program = program,
                            .plan = plan,
                            .piece = piece,
                            .calls = &host.calls,
                            .context = context,
                            .module = module,
                            .has_avx512 = strstr(host.features, "+avx512f") != NULL,
                            .has_umax = host.has_umax,
                            .has_fma = host.has_fma};

    LLVMSetTarget(module, host.triple);
    LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(machine);
    LLVMSetModuleDataLayout(module, layout);
    LLVMDisposeTargetData(layout);
    e.b = LLVMCreateBuilderInContext(context);
    if (!jit_emit(&e, JIT_ENTRY)) {
        LLVMDisposeBuilder(e.b);
        return e.message;
    }
    add_attributes(context, e.function, false);
    if (e.nearest)
        add_attributes(context, e.nearest, false);
    for (unsigned n = 0; n < e.cold_count; n++)
        add_attributes(context, e.cold[n].function, true);
#ifndef NDEBUG
    if (LLVMVerifyModule(module, LLVMPrintMessageAction, NULL))
        abort();
#endif
    const char *message = optimise(machine, module);
    jit_float_finish(&e);
    LLVMDisposeBuilder(e.b);
    return message;
}

/* -- entry points -------------------------------------------------------------------------------------------------- */

static void *to_file(LLVMTargetMachineRef machine, LLVMModuleRef module, size_t *size_out_B, const char **message_out)
{
    LLVMMemoryBufferRef buffer;
    char *message = NULL;

    if (LLVMTargetMachineEmitToMemoryBuffer(machine, module, LLVMObjectFile, &message, &buffer)) {
        LLVMDisposeMessage(message);
        *message_out = "LLVM failed to emit an object file";
        return NULL;
    }
    *size_out_B = LLVMGetBufferSize(buffer);
    void *file = malloc(*size_out_B);
    if (file)
        memcpy(file, LLVMGetBufferStart(buffer), *size_out_B);
    else
        *message_out = "out of memory";
    LLVMDisposeMemoryBuffer(buffer);
    return file;
}

#if defined(__SANITIZE_THREAD__)
/* Compiles an empty function, so that LLVM makes its global objects before several threads compile. It makes each when it is
 * first used, by atomics that ThreadSanitizer cannot see: two threads that come first would be reported. */
static void make_globals(void)
{
    LLVMTargetMachineRef machine = take_machine();
    if (!machine)
        return;
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef module = LLVMModuleCreateWithNameInContext("globals", context);
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(context), NULL, 0, false);
    const char *message = NULL;
    size_t size_B;

    LLVMSetTarget(module, host.triple);
    LLVMPositionBuilderAtEnd(builder, LLVMAppendBasicBlockInContext(context, LLVMAddFunction(module, "f", type), ""));
    LLVMBuildRetVoid(builder);
    optimise(machine, module);
    free(to_file(machine, module, &size_B, &message));
    LLVMDisposeBuilder(builder);
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
    give_machine_back(machine);
}
#endif

static void *compile_piece(const struct jit_program *program, const struct jit_plan *plan, uint32_t piece,
                           size_t *size_out_B, const char **message_out)
{
    LLVMTargetMachineRef machine = take_machine();
    void *file = NULL;

    if (!machine) {
        *message_out = "LLVM cannot create a target machine for this host";
        return NULL;
    }
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef module = LLVMModuleCreateWithNameInContext("qpu", context);
    *message_out = build(machine, context, module, program, plan, piece);
    if (!*message_out)
        file = to_file(machine, module, size_out_B, message_out);
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
    give_machine_back(machine);
    return file;
}

static void *compile_program(const struct jit_source *source, size_t *size_out_B, const char **message_out)
{
    struct jit_program program;
    struct jit_plan plan;
    void *file = NULL;

    if (!jit_program_read(source, &program, message_out))
        return NULL;
    if (jit_plan_make(&program, source->piece_instrs, &plan, message_out)) {
        if (source->piece < plan.count)
            file = compile_piece(&program, &plan, source->piece, size_out_B, message_out);
        else
            *message_out = "the program has no such piece";
        jit_plan_free(&plan);
    }
    jit_program_free(&program);
    return file;
}

static void *compile(const struct jit_source *source, size_t *size_out_B, const char **message_out)
{
    void *file = NULL;
    jmp_buf here;

    *message_out = "LLVM had a fatal error";
    if (broken || setjmp(here))
        return NULL;
    fatal_exit = &here;
    file = compile_program(source, size_out_B, message_out);
    fatal_exit = NULL;
    return file;
}

__attribute__((visibility("default"))) const struct jit_library *vc4vk_jit_library(void)
{
    static const struct jit_library library = {
        .version = JIT_VERSION,
        .core_B = sizeof(struct gpu_qpu_core),
        .calls_B = sizeof(struct jit_calls),
        .identity = JIT_IDENTITY,
        .start = start,
        .compile = compile,
    };

    return &library;
}
