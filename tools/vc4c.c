/* SPDX-License-Identifier: MIT
 *
 * vc4c: compiles SPIR-V files from the command line, with the key of a typical pipeline: 32-bit float attributes, an
 * RGBA8 target without blending, RGBA8 linear textures.
 *
 *   vc4c [--stats] [--print ir|qpu] [--stage vert|frag|comp] [--engine chip|cpu|any] [--quick] [--entry NAME]
 *        [--spec ID=WORD]... FILE.spv...
 *
 * Prints one line per program, unless only --print is given:
 *
 *   NAME STAGE VARIANT inst=N threads=N uniforms=N tmu=N regs=N cycles=N compile_us=N
 *
 * NAME is the file's name without folder and .spv. STAGE is coord, vert, frag or comp (all other stages). VARIANT
 * is default, or cpu for programs of the CPU engine. With --engine any, graphics programs that the chip cannot run are
 * compiled for the CPU engine, as the driver does, and the reason is printed to stderr. --quick compiles like the
 * driver while a draw waits. If a program cannot be compiled, the reason and its offset in the module are printed, the
 * other programs are still compiled, and the exit status is 1.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "compiler/vc4c.h"
#include "compiler/vc4c_ir.h"
#include "hw/qpu.h"
#include "tools/options.h"
#include "util/macros.h"

#define MAX_SPECS 64

struct options {
    bool stats, print_ir, print_qpu, quick;
    int stage; /* -1: all stages of the module */
    enum vc4c_target target;
    bool any_target; /* VC4C_TARGET_CHIP, or the CPU engine if the program does not fit the chip */
    const char *entry;
    struct vc4c_spec_constant specs[MAX_SPECS];
    uint32_t spec_words[MAX_SPECS], spec_count;
};

/* ---------------------------------------------------------------- reading */

static uint32_t *read_file(const char *name, size_t *size_B)
{
    FILE *f = fopen(name, "rb");
    if (!f)
        return NULL;
    uint32_t *words = NULL;
    long size = fseek(f, 0, SEEK_END) ? -1 : ftell(f);
    if (size > 0 && !fseek(f, 0, SEEK_SET)) {
        words = malloc((size_t)size);
        *size_B = words ? fread(words, 1, (size_t)size, f) : 0;
    }
    fclose(f);
    return words;
}

/* ---------------------------------------------------------------- keys */

static void native_classes(struct vc4c_key *key, uint32_t count)
{
    key->class_count = count;
    for (uint32_t i = 0; i < count; i++)
        key->classes[i] = (struct hw_sampling_class){
            .method = HW_SAMPLE_NATIVE, .format = HW_FORMAT_R8G8B8A8_UNORM,
            .swizzle = {HW_SWIZZLE_X, HW_SWIZZLE_Y, HW_SWIZZLE_Z, HW_SWIZZLE_W}};
}

/* The key of a vertex stage. Its outputs are the inputs of `fragment`, or none if that is NULL. */
static void vertex_key(struct vc4c_key *key, const struct vc4c_interface *fragment)
{
    memset(key, 0, sizeof *key);
    for (uint32_t i = 0; i < VC4C_MAX_ATTRIBUTES; i++)
        key->vs.formats[i] = HW_FORMAT_R32G32B32A32_FLOAT;
    if (fragment) {
        memcpy(key->vs.outputs, fragment->inputs, sizeof key->vs.outputs);
        key->vs.output_count = (uint8_t)fragment->input_count;
    }
}

static void fragment_key(struct vc4c_key *key)
{
    memset(key, 0, sizeof *key);
    key->fs.color_format = HW_FORMAT_R8G8B8A8_UNORM;
    key->fs.write_mask = 15;
    key->fs.logic_op = VC4C_LOGIC_COPY;
    key->fs.samples = 1;
}

/* ---------------------------------------------------------------- one program */

static const char *const kind_names[] = {"coord", "vert", "frag", "comp"};
static const char *const target_names[] = {"default", "cpu"};

/* Returns the file name without folder and .spv, in `buffer`. */
static const char *short_name(const char *file, char *buffer, size_t size_B)
{
    const char *base = strrchr(file, '/');
    base = base ? base + 1 : file;
    size_t length = strlen(base);
    if (length > 4 && !strcmp(base + length - 4, ".spv"))
        length -= 4;
    snprintf(buffer, size_B, "%.*s", (int)length, base);
    return buffer;
}

static int fail(const char *name, const struct vc4c_error *error)
{
    fprintf(stderr, "vc4c: %s: %s (word %" PRIu32 ")\n", name, error->text, error->offset_words);
    return 1;
}

static int print_ir(const char *name, const struct vc4c_entry *entry, enum vc4c_program_kind kind,
                    const struct vc4c_key *key)
{
    struct util_arena arena;
    struct vc4c_error error = {{0}};
    struct ir_shader *shader;
    jmp_buf oom;
    int volatile status = 0;
    util_arena_init(&arena, NULL);
    arena.on_oom = &oom;
    if (setjmp(oom) || vc4c_compile_to_ir(entry, kind, key, &arena, &shader, &error))
        status = fail(name, &error);
    else
        ir_print(stdout, shader);
    fflush(stdout);
    util_arena_finish(&arena);
    return status;
}

static void print_qpu(const struct vc4c_program *p)
{
    for (uint32_t i = 0; i < p->instruction_count; i++) {
        char text[256];
        struct qpu_instr instr = qpu_decode(p->code[i]);
        qpu_print(&instr, text, sizeof text);
        printf("%4" PRIu32 "  %s\n", i, text);
    }
}

static int compile(const char *name, const struct options *o, const struct vc4c_entry *entry,
                   enum vc4c_program_kind kind, struct vc4c_key *key)
{
    struct vc4c_program program = {0};
    struct vc4c_error error = {{0}};
    key->quick = o->quick;
    if (o->print_ir && print_ir(name, entry, kind, key))
        return 1;
    enum vc4c_result result = vc4c_compile(entry, kind, key, NULL, &program, &error);
    if (result == VC4C_DOES_NOT_FIT && o->any_target && key->target == VC4C_TARGET_CHIP) {
        fprintf(stderr, "vc4c: %s: for the CPU engine: %s\n", name, error.text);
        key->target = VC4C_TARGET_CPU_ENGINE;
        result = vc4c_compile(entry, kind, key, NULL, &program, &error);
    }
    if (result)
        return fail(name, &error);
    if (o->print_qpu)
        print_qpu(&program);
    const struct vc4c_stats *s = &program.stats;
    char buffer[256];
    if (o->stats)
        printf("%s %s %s inst=%" PRIu32 " threads=%d uniforms=%" PRIu32 " tmu=%" PRIu32 " regs=%" PRIu32
               " cycles=%" PRIu32 " compile_us=%" PRIu32 "\n",
               short_name(name, buffer, sizeof buffer), kind_names[kind], target_names[key->target], s->instructions,
               program.threaded ? 2 : 1, s->uniforms, s->lookups, s->registers, s->cycles, s->compile_us);
    vc4c_program_finish(&program);
    return 0;
}

/* ---------------------------------------------------------------- one file */

/* There is no fragment stage that selects outputs. Fills in an interface that reads all outputs of the vertex stage. */
static void all_outputs(const struct vc4c_entry *entry, struct vc4c_interface *out)
{
    struct util_arena arena;
    jmp_buf oom;
    memset(out, 0, sizeof *out);
    util_arena_init(&arena, NULL);
    arena.on_oom = &oom;
    if (!setjmp(oom)) {
        uint8_t stored[IR_MAX_LOCATIONS] = {0};
        vc4c_find_outputs(entry, &arena, stored);
        for (uint32_t i = 0; i < 128; i++)
            if (stored[i / 4] >> (i % 4) & 1 && out->input_count < 32)
                out->inputs[out->input_count++] =
                    (struct vc4c_varying){.location = (uint8_t)(i / 4), .component = i % 4};
    }
    util_arena_finish(&arena);
}

static int compile_stage(const char *name, const struct options *o, const struct vc4c_entry *entry)
{
    struct vc4c_interface interface, outputs;
    struct vc4c_error error = {{0}};
    struct vc4c_key key;
    if (vc4c_get_interface(entry, NULL, &interface, &error))
        return fail(name, &error);
    if (entry->stage == VC4C_STAGE_FRAGMENT) {
        fragment_key(&key);
        native_classes(&key, interface.texture_count);
        key.target = o->target;
        return compile(name, o, entry, VC4C_PROGRAM_FRAGMENT, &key);
    }
    if (entry->stage >= VC4C_STAGE_COMPUTE) { /* and those before the rasteriser: always for the CPU engine */
        memset(&key, 0, sizeof key);
        native_classes(&key, interface.texture_count);
        key.target = VC4C_TARGET_CPU_ENGINE;
        return compile(name, o, entry, VC4C_PROGRAM_COMPUTE, &key);
    }
    all_outputs(entry, &outputs);
    vertex_key(&key, &outputs);
    native_classes(&key, interface.texture_count);
    key.target = o->target;
    int status = compile(name, o, entry, VC4C_PROGRAM_VERTEX, &key);
    key.target = o->target;
    return status | compile(name, o, entry, VC4C_PROGRAM_COORDINATE, &key);
}

static bool has_stage(const struct options *o, const struct vc4c_module *module, enum vc4c_stage stage)
{
    struct vc4c_entry entry = {.module = module, .name = o->entry, .stage = stage};
    return vc4c_has_entry(&entry);
}

static int compile_file(const char *name, const struct options *o)
{
    size_t size_B = 0;
    uint32_t *words = read_file(name, &size_B);
    struct vc4c_error error = {{0}};
    struct vc4c_module *module = NULL;
    if (!words) {
        fprintf(stderr, "vc4c: %s: the file is empty or cannot be read\n", name);
        return 1;
    }
    enum vc4c_result result = vc4c_module_create(words, size_B, NULL, &module, &error);
    free(words);
    if (result)
        return fail(name, &error);
    int status = 0, found = 0;
    for (int stage = VC4C_STAGE_VERTEX; stage < VC4C_STAGES; stage++) {
        if ((o->stage >= 0 && o->stage != stage) || !has_stage(o, module, (enum vc4c_stage)stage))
            continue;
        struct vc4c_entry entry = {.module = module,
                                   .name = o->entry,
                                   .stage = (enum vc4c_stage)stage,
                                   .specs = o->specs,
                                   .spec_count = o->spec_count};
        status |= compile_stage(name, o, &entry);
        found++;
    }
    vc4c_module_destroy(module);
    if (!found) {
        fprintf(stderr, "vc4c: %s: no entry point \"%s\" of the requested stage\n", name, o->entry);
        return 1;
    }
    return status;
}

/* ---------------------------------------------------------------- command line */

enum option_id { OPTION_STATS, OPTION_PRINT, OPTION_STAGE, OPTION_ENGINE, OPTION_QUICK, OPTION_ENTRY, OPTION_SPEC };

static const struct tool tool = {
    .usage = "usage: vc4c [--stats] [--print ir|qpu] [--stage vert|frag|comp] [--engine chip|cpu|any] [--quick]\n"
             "            [--entry NAME] [--spec ID=WORD]... FILE.spv...\n"
             "Compiles SPIR-V with the key of a typical pipeline and prints one line per program.\n"
             "  --stats   prints the line also with --print\n"
             "  --print   prints the IR, or the code\n"
             "  --stage   compiles only entry points of this stage\n"
             "  --engine  compiles graphics programs for the chip, for the CPU engine, or for the chip if they fit\n"
             "  --quick   compiles like the driver while a draw waits: sooner, to code that may be a little longer\n"
             "  --entry   the name of the entry points, main by default\n"
             "  --spec    sets the 32-bit specialisation constant ID, for instance 0=0x25\n",
    .options =
        (const struct option[]){
            {"stats", no_argument, NULL, OPTION_STATS},
            {"print", required_argument, NULL, OPTION_PRINT},
            {"stage", required_argument, NULL, OPTION_STAGE},
            {"engine", required_argument, NULL, OPTION_ENGINE},
            {"quick", no_argument, NULL, OPTION_QUICK},
            {"entry", required_argument, NULL, OPTION_ENTRY},
            {"spec", required_argument, NULL, OPTION_SPEC},
            TOOL_LAST_OPTIONS,
        },
};

static bool add_spec(struct options *o, const char *text)
{
    char *end;
    const unsigned long id = strtoul(text, &end, 0);
    if (end == text || *end != '=' || o->spec_count == MAX_SPECS)
        return false;
    text = end + 1;
    const uint32_t i = o->spec_count++;
    o->spec_words[i] = (uint32_t)strtoul(text, &end, 0);
    o->specs[i] = (struct vc4c_spec_constant){.id = (uint32_t)id, .size_B = 4, .data = &o->spec_words[i]};
    return end != text && !*end;
}

/* Parses the options. Returns the index of the first file. */
static int parse(struct options *o, int argc, char **argv)
{
    static const char *const stages[] = {"vert", "frag", "comp", "vertex", "fragment", "compute", NULL};
    static const char *const engines[] = {"chip", "cpu", "any", NULL};
    static const char *const prints[] = {"ir", "qpu", NULL};
    optind = 0;
    for (int option, found; (option = tool_next_option(&tool, argc, argv)) >= 0;) {
        switch ((enum option_id)option) {
        case OPTION_STATS:
            o->stats = true;
            break;
        case OPTION_PRINT:
            found = tool_choose(&tool, "--print", prints);
            o->print_ir |= found == 0;
            o->print_qpu |= found == 1;
            break;
        case OPTION_STAGE:
            o->stage = tool_choose(&tool, "--stage", stages) % 3;
            break;
        case OPTION_ENGINE:
            found = tool_choose(&tool, "--engine", engines);
            o->target = found == 1 ? VC4C_TARGET_CPU_ENGINE : VC4C_TARGET_CHIP;
            o->any_target = found == 2;
            break;
        case OPTION_QUICK:
            o->quick = true;
            break;
        case OPTION_ENTRY:
            o->entry = optarg;
            break;
        case OPTION_SPEC:
            if (!add_spec(o, optarg))
                exit(tool_wrong_use(&tool));
            break;
        }
    }
    return optind;
}

int main(int argc, char **argv)
{
    struct options o = {.stage = -1, .entry = "main"};
    int i = parse(&o, argc, argv), status = 0;
    if (i >= argc)
        return tool_wrong_use(&tool);
    o.stats |= !o.print_ir && !o.print_qpu;
    for (; i < argc; i++)
        status |= compile_file(argv[i], &o);
    return status;
}
