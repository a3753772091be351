/* SPDX-License-Identifier: MIT
 *
 * vc4-bench: runs benchmarks, called lines, on this driver and on others, and compares them.
 *
 *   vc4-bench [--icd MANIFEST]... [--rounds N] [--items N] [--clock wall|cpu] [--table FILE] LINE...
 *
 * Devices are named by their loader manifests. The default is this build's own, lavapipe's, and SwiftShader's (from
 * Debian's chromium). Runs alternate between devices: every round of a line runs it once on each device, so that other
 * load on the machine affects all of them. For each line there is a row per device: the sum of the medians of all items
 * that every device can do, and the ratio to the first device. After several lines the geometric mean of the ratios of
 * the first device to the best of the others is printed. --clock cpu measures the processor time of all threads, for
 * busy machines. --items also prints the items in which the first device is worst, compared with the second. --table
 * writes the sums for tests/bench/plot.py.
 */
#include "bench.h"
#include "tools/options.h"

#include <errno.h>
#include <glob.h>
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MAX_DEVICES 8
#define SWIFTSHADER "/usr/lib/chromium/vk_swiftshader_icd.json"
#define MAX_ITEMS   4096
#define MAX_ROUNDS  64
#define NAME_B      64

static const struct bench_line *const groups[] = {bench_memory,    bench_compute, bench_descriptors, bench_pipelines,
                                                  bench_record,    bench_submit,  bench_transfer,    bench_draw,
                                                  bench_instances, bench_first,   bench_dynamic};

static const struct bench_line *find_line(const char *name)
{
    for (unsigned g = 0; g < sizeof groups / sizeof groups[0]; g++)
        for (const struct bench_line *line = groups[g]; line->name; line++)
            if (!strcmp(line->name, name))
                return line;
    return NULL;
}

/* ---------------------------------------------------------------- one run, in the child */

static clockid_t bench_clock = CLOCK_MONOTONIC; /* set once at start */

uint64_t bench_now_ns(void)
{
    struct timespec now;
    clock_gettime(bench_clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void bench_item(const char *name, uint64_t ns)
{
    printf("item %s %" PRIu64 "\n", name, ns);
}

static VkResult open_device(struct bench_device *d)
{
    uint32_t count = 1;
    const VkApplicationInfo app = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_0};
    VkResult result = vkCreateInstance(
        &(VkInstanceCreateInfo){.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &app}, NULL,
        &d->instance);
    if (result != VK_SUCCESS)
        return result;
    result = vkEnumeratePhysicalDevices(d->instance, &count, &d->physical);
    if (count == 0 || (result != VK_SUCCESS && result != VK_INCOMPLETE))
        return VK_ERROR_INITIALIZATION_FAILED;
    vkGetPhysicalDeviceProperties(d->physical, &d->properties);
    vkGetPhysicalDeviceMemoryProperties(d->physical, &d->memory);
    const VkDeviceQueueCreateInfo queue = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &(float){1}};
    const VkDeviceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .queueCreateInfoCount = 1, .pQueueCreateInfos = &queue};
    result = vkCreateDevice(d->physical, &info, NULL, &d->device);
    if (result == VK_SUCCESS)
        vkGetDeviceQueue(d->device, 0, 0, &d->queue);
    return result;
}

static int run_line(const struct bench_line *line)
{
    struct bench_device d = {0};
    VkResult result = line->opens_device ? VK_SUCCESS : open_device(&d);
    if (result != VK_SUCCESS) {
        fprintf(stderr, "vc4-bench: instance or device cannot be created: VkResult %d\n", result);
        return 1;
    }
    bool good = line->run(&d);
    printf("device %s\n", d.properties.deviceName);
    fflush(stdout);
    vkDestroyDevice(d.device, NULL);
    if (d.instance)
        vkDestroyInstance(d.instance, NULL);
    return good ? 0 : 1;
}

/* ---------------------------------------------------------------- results, in the parent */

struct item {
    char name[NAME_B];
    uint64_t ns[MAX_DEVICES][MAX_ROUNDS];
    unsigned count[MAX_DEVICES];
    uint64_t median_ns[MAX_DEVICES];
};

struct results {
    struct item *items;
    unsigned item_count;
    char device_names[MAX_DEVICES][128];
    bool failed[MAX_DEVICES]; /* the line crashed or could not run on this device */
};

static struct item *find_item(struct results *r, const char *name)
{
    for (unsigned i = 0; i < r->item_count; i++)
        if (!strcmp(r->items[i].name, name))
            return &r->items[i];
    if (r->item_count == MAX_ITEMS)
        return NULL;
    struct item *item = &r->items[r->item_count++];
    snprintf(item->name, NAME_B, "%s", name);
    return item;
}

static void parse_row(struct results *r, unsigned device, char *row)
{
    char name[NAME_B];
    uint64_t ns;
    row[strcspn(row, "\n")] = 0;
    if (!strncmp(row, "device ", 7)) {
        snprintf(r->device_names[device], sizeof r->device_names[device], "%.127s", row + 7);
    } else if (sscanf(row, "item %63s %" SCNu64, name, &ns) == 2) {
        struct item *item = find_item(r, name);
        if (item && item->count[device] < MAX_ROUNDS)
            item->ns[device][item->count[device]++] = ns;
    }
}

static void use_device(const char *manifest)
{
    setenv("VK_ICD_FILENAMES", manifest, 1);
    setenv("VK_DRIVER_FILES", manifest, 1);
    setenv("VC4VK_CACHE", "0", 1);
    setenv("MESA_SHADER_CACHE_DISABLE", "true", 1);
    setenv("VK_LOADER_LAYERS_DISABLE", "~implicit~", 1);
}

/* Runs a line in a new process, so that a driver cannot reuse anything that it has kept in memory. */
static bool run_child(struct results *r, unsigned device, const char *manifest, const char *line)
{
    int pipe_fds[2], status;
    if (pipe(pipe_fds))
        return false;
    pid_t pid = fork();
    if (pid == 0) {
        use_device(manifest);
        dup2(pipe_fds[1], STDOUT_FILENO);
        close(pipe_fds[0]);
        close(pipe_fds[1]);
        execl("/proc/self/exe", "vc4-bench", "--clock", bench_clock == CLOCK_MONOTONIC ? "wall" : "cpu", "--run", line,
              (char *)NULL);
        _exit(127);
    }
    close(pipe_fds[1]);
    FILE *f = pid > 0 ? fdopen(pipe_fds[0], "r") : NULL;
    char row[256];
    while (f && fgets(row, sizeof row, f))
        parse_row(r, device, row);
    if (f)
        fclose(f);
    return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0;
}

/* ---------------------------------------------------------------- summing up */

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* False if some device did not report the item in every round. */
static bool find_medians(struct item *item, const bool failed[MAX_DEVICES], unsigned devices, unsigned rounds)
{
    for (unsigned d = 0; d < devices; d++) {
        if (failed[d])
            continue;
        if (item->count[d] < rounds)
            return false;
        qsort(item->ns[d], rounds, sizeof item->ns[d][0], by_value);
        item->median_ns[d] = item->ns[d][rounds / 2];
    }
    return true;
}

static int by_ratio(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    double rx = (double)x->median_ns[0] / (double)(x->median_ns[1] + 1);
    double ry = (double)y->median_ns[0] / (double)(y->median_ns[1] + 1);
    return rx < ry ? 1 : rx > ry ? -1 : 0;
}

/* The ratio of the first device to the best of the others, over the lines so far. */
struct summary {
    double log_sum;
    unsigned lines;
};

static void add_to_summary(struct summary *summary, const uint64_t *sums_ns, unsigned devices)
{
    uint64_t best_ns = UINT64_MAX;
    for (unsigned d = 1; d < devices; d++)
        best_ns = sums_ns[d] && sums_ns[d] < best_ns ? sums_ns[d] : best_ns; /* 0: it failed */
    if (best_ns == UINT64_MAX || !sums_ns[0])
        return;
    summary->log_sum += log((double)best_ns / (double)sums_ns[0]);
    summary->lines++;
}

struct options {
    const char *manifests[MAX_DEVICES];
    unsigned devices, rounds, items;
    FILE *table;     /* or NULL */
    const char *run; /* the line to run in this process; NULL: measure */
};

/* Writes rows for tests/bench/plot.py: line, device name up to the first bracket, value, unit. */
static void write_table(FILE *table, const struct results *r, const char *line, unsigned devices,
                        const uint64_t *sums_ns)
{
    for (unsigned d = 0; d < devices; d++) {
        const char *name = r->device_names[d], *bracket = strstr(name, " (");
        if (!r->failed[d])
            fprintf(table, "%s\t%.*s\t%.6f\tms\n", line, (int)(bracket ? bracket - name : (ptrdiff_t)strlen(name)),
                    name, (double)sums_ns[d] / 1e6);
    }
}

static void print_results(struct results *r, const char *line, const struct options *o, struct summary *summary)
{
    const unsigned devices = o->devices;
    uint64_t sums_ns[MAX_DEVICES] = {0};
    unsigned common = 0;
    for (unsigned i = 0; i < r->item_count; i++) {
        if (!find_medians(&r->items[i], r->failed, devices, o->rounds))
            continue;
        for (unsigned d = 0; d < devices; d++)
            sums_ns[d] += r->items[i].median_ns[d];
        r->items[common++] = r->items[i];
    }
    printf("%s: %u items that all devices can do, of %u\n", line, common, r->item_count);
    for (unsigned d = 0; d < devices; d++) {
        if (r->failed[d]) {
            printf("  %-44s failed\n", r->device_names[d]);
            continue;
        }
        printf("  %-44s %10.3f ms  %8.1f us an item  x %.2f\n", r->device_names[d], (double)sums_ns[d] / 1e6,
               common ? (double)sums_ns[d] / 1e3 / common : 0,
               sums_ns[0] ? (double)sums_ns[d] / (double)sums_ns[0] : 0);
    }
    add_to_summary(summary, sums_ns, devices);
    if (o->table)
        write_table(o->table, r, line, devices, sums_ns);
    if (devices < 2 || r->failed[1] || !o->items)
        return;
    qsort(r->items, common, sizeof *r->items, by_ratio);
    for (unsigned i = 0; i < common && i < o->items; i++)
        printf("  %-44s %10.1f us, %10.1f us\n", r->items[i].name, (double)r->items[i].median_ns[0] / 1e3,
               (double)r->items[i].median_ns[1] / 1e3);
}

static bool measure(const struct options *o, const struct bench_line *line, struct summary *summary)
{
    struct results *r = calloc(1, sizeof *r);
    bool good = r && (r->items = calloc(MAX_ITEMS, sizeof *r->items));
    for (unsigned round = 0; good && round < o->rounds; round++)
        for (unsigned d = 0; good && d < o->devices; d++)
            r->failed[d] = r->failed[d] || !run_child(r, d, o->manifests[d], line->name);
    good = good && !r->failed[0]; /* the other devices may fail */
    if (good)
        print_results(r, line->name, o, summary);
    else
        fprintf(stderr, "vc4-bench: %s failed\n", line->name);
    if (r)
        free(r->items);
    free(r);
    return good;
}

/* ---------------------------------------------------------------- command line */

enum option_id { OPTION_ICD, OPTION_ROUNDS, OPTION_ITEMS, OPTION_CLOCK, OPTION_TABLE, OPTION_RUN };

static const struct option options[] = {
    {"icd", required_argument, NULL, OPTION_ICD},
    {"rounds", required_argument, NULL, OPTION_ROUNDS},
    {"items", required_argument, NULL, OPTION_ITEMS},
    {"clock", required_argument, NULL, OPTION_CLOCK},
    {"table", required_argument, NULL, OPTION_TABLE},
    {"run", required_argument, NULL, OPTION_RUN}, /* one line on the device of the environment, for run_child() */
    TOOL_LAST_OPTIONS,
};

/* The usage with the names of all lines. */
static struct tool describe(void)
{
    static char usage[8192];
    size_t used_B = (size_t)snprintf(
        usage, sizeof usage,
        "usage: vc4-bench [--icd MANIFEST]... [--rounds N] [--items N] [--clock wall|cpu] [--table FILE] LINE...\n"
        "Measures devices, by default this driver, lavapipe and SwiftShader, in turns.\n"
        "  --icd     a device, by its loader manifest\n"
        "  --rounds  runs of each line on each device (3)\n"
        "  --items   also prints the N items in which the first device is worst\n"
        "  --clock   measures time, or processor time of all threads\n"
        "  --table   writes the sums for tests/bench/plot.py\n"
        "lines:\n");
    for (unsigned g = 0; g < sizeof groups / sizeof groups[0]; g++)
        for (const struct bench_line *line = groups[g]; line->name && used_B < sizeof usage; line++)
            used_B += (size_t)snprintf(usage + used_B, sizeof usage - used_B, "  %-12s %s\n", line->name, line->help);
    return (struct tool){.usage = usage, .options = options};
}

static void default_devices(struct options *o)
{
    glob_t found;
    o->manifests[o->devices++] = OWN_MANIFEST;
    if (!glob("/usr/share/vulkan/icd.d/lvp_icd*.json", 0, NULL, &found) && found.gl_pathc)
        o->manifests[o->devices++] = found.gl_pathv[0]; /* never freed */
    if (!access(SWIFTSHADER, R_OK))
        o->manifests[o->devices++] = SWIFTSHADER;
}

static unsigned number(const char *text, unsigned max)
{
    unsigned long n = strtoul(text, NULL, 10);
    return n < 1 ? 1 : n > max ? max : (unsigned)n;
}

/* Parses the options. Returns false if the table cannot be written or there are too many devices. */
static bool parse(const struct tool *tool, struct options *o, int argc, char **argv)
{
    static const char *const clocks[] = {"wall", "cpu", NULL};
    optind = 0;
    for (int option; (option = tool_next_option(tool, argc, argv)) >= 0;) {
        switch ((enum option_id)option) {
        case OPTION_ICD:
            if (o->devices == MAX_DEVICES) {
                fprintf(stderr, "vc4-bench: more than %d devices\n", MAX_DEVICES);
                return false;
            }
            o->manifests[o->devices++] = optarg;
            break;
        case OPTION_ROUNDS:
            o->rounds = number(optarg, MAX_ROUNDS);
            break;
        case OPTION_ITEMS:
            o->items = number(optarg, MAX_ITEMS);
            break;
        case OPTION_CLOCK:
            bench_clock = tool_choose(tool, "--clock", clocks) ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC;
            break;
        case OPTION_TABLE:
            if (o->table || !(o->table = fopen(optarg, "w"))) {
                fprintf(stderr, "vc4-bench: --table %s: %s\n", optarg,
                        o->table ? "there is one already" : strerror(errno));
                return false;
            }
            break;
        case OPTION_RUN:
            o->run = optarg;
            break;
        }
    }
    return true;
}

int main(int argc, char **argv)
{
    const struct tool tool = describe();
    struct options o = {.rounds = 3};
    int failed = 0;
    if (!parse(&tool, &o, argc, argv))
        return tool_wrong_use(&tool);
    if (o.run)
        return find_line(o.run) ? run_line(find_line(o.run)) : tool_wrong_use(&tool);
    for (int k = optind; k < argc; k++)
        if (!find_line(argv[k])) {
            fprintf(stderr, "vc4-bench: unknown line '%s'\n", argv[k]);
            return tool_wrong_use(&tool);
        }
    if (optind >= argc)
        return tool_wrong_use(&tool);
    if (!o.devices)
        default_devices(&o);
    struct summary summary = {0};
    for (int i = optind; i < argc; i++)
        failed |= !measure(&o, find_line(argv[i]), &summary);
    if (summary.lines > 1)
        printf("geometric mean of %u lines: %.2f times as fast as the best of the others\n", summary.lines,
               exp(summary.log_sum / summary.lines));
    if (o.table && fclose(o.table))
        failed = 1;
    return failed;
}
