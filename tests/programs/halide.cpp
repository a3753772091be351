// SPDX-License-Identifier: MIT
//
// halide OUT.txt: runs Halide pipelines on the Vulkan device and on the processor. OUT.txt gets a line for each of
// them: its name, and whether the results agree. The exit status is 1 if one does not. Numbers are compared relative to
// the larger of 1 and the expected one.
//
// Left out are atomic updates and bit counts, which Halide 19 cannot express for Vulkan, and pow, for which it writes
// invalid SPIR-V (OpBitwiseOr of booleans).
#include <Halide.h>
#include <cmath>
#include <cstdio>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

using namespace Halide;

static const double TOLERANCE = 1e-4;
static const Target host = get_host_target();
static Target gpu = host;
static Var x("x"), y("y"), xi("xi"), yi("yi");

// Builds a pipeline, scheduled for the GPU or not at all.
using Make = std::function<Func(bool for_gpu)>;

// Pseudo-random numbers: fractions from -1 to 1, or integers from the whole range that fits into 25 bits.
template <class T> static Buffer<T> numbers(std::vector<int> size, uint32_t seed)
{
    Buffer<T> buffer(size);
    uint32_t state = seed;
    buffer.for_each_value([&](T &value) {
        state = state * 1664525u + 1013904223u;
        value = std::is_floating_point<T>::value ? T((state >> 8) / 8388608.0 - 1) : T(state >> 7);
    });
    buffer.set_host_dirty();
    return buffer;
}

// The largest difference between the results of both.
template <class T> static double difference(std::vector<int> size, Make make)
{
    Buffer<T> expected = make(false).realize(size, host), got = make(true).realize(size, gpu);
    std::vector<T> values;
    double most = 0;
    size_t i = 0;
    got.copy_to_host();
    expected.for_each_value([&](T &value) { values.push_back(value); });
    got.for_each_value([&](T &value) {
        const double wanted = double(values[i++]);
        const double error = std::abs(double(value) - wanted) / std::max(1.0, std::abs(wanted));
        most = error <= most ? most : error; // NaN stays
    });
    return most;
}

template <class T> static double arithmetic()
{
    Buffer<T> a = numbers<T>({70, 40}, 1), b = numbers<T>({70, 40}, 2);
    return difference<T>({70, 40}, [=](bool for_gpu) {
        Func f;
        Expr p = a(x, y), q = b(x, y);
        f(x, y) = cast<T>(select(p > q, p * q + p, min(p - q, q) + max(p, cast<T>(3))));
        if (for_gpu)
            f.gpu_tile(x, y, xi, yi, 16, 4);
        return f;
    });
}

template <class T> static double bits()
{
    Buffer<T> a = numbers<T>({1000}, 1), b = numbers<T>({1000}, 2);
    return difference<T>({1000}, [=](bool for_gpu) {
        Func f;
        Expr p = a(x), q = b(x), divisor = q | cast<T>(1), shift = q & cast<T>(int(8 * sizeof(T)) - 1);
        f(x) = cast<T>((p / divisor) ^ (p % divisor) ^ (p << shift) ^ (p >> shift) ^ ~p);
        if (for_gpu)
            f.gpu_tile(x, xi, 64);
        return f;
    });
}

template <class From, class To> static double conversion()
{
    const bool to_integer = std::is_floating_point<From>::value && !std::is_floating_point<To>::value;
    Buffer<From> a = numbers<From>({1000}, 1);
    return difference<To>({1000}, [=](bool for_gpu) {
        Func f;
        Expr value = a(x);
        f(x) = cast<To>(to_integer ? abs(value) * cast<From>(100) : value);
        if (for_gpu)
            f.gpu_tile(x, xi, 25);
        return f;
    });
}

template <class T> static double vectors(int width)
{
    Buffer<T> a = numbers<T>({256, 8}, 1);
    return difference<T>({256, 8}, [=](bool for_gpu) {
        Func f;
        f(x, y) = a(x, y) * cast<T>(3) + a(255 - x, y);
        if (for_gpu)
            f.gpu_tile(x, y, xi, yi, 16 * width, 4).vectorize(xi, width);
        return f;
    });
}

template <class T> static double matrices(int n)
{
    Buffer<T> a = numbers<T>({n, n}, 1), b = numbers<T>({n, n}, 2);
    return difference<T>({n, n}, [=](bool for_gpu) {
        Func sum, f;
        RDom k(0, n);
        sum(x, y) = cast<T>(0);
        sum(x, y) += a(k, y) * b(x, k);
        f(x, y) = sum(x, y);
        if (for_gpu) {
            f.gpu_tile(x, y, xi, yi, 16, 4);
            sum.compute_at(f, xi);
        }
        return f;
    });
}

// Rows are blurred into shared memory.
static double blur()
{
    Buffer<uint8_t> a = numbers<uint8_t>({203, 101}, 1);
    return difference<uint8_t>({203, 101}, [=](bool for_gpu) {
        Func in = BoundaryConditions::repeat_edge(a), rows, f;
        rows(x, y) = (cast<uint16_t>(in(x - 1, y)) + in(x, y) + in(x + 1, y)) / 3;
        f(x, y) = cast<uint8_t>((rows(x, y - 1) + rows(x, y) + rows(x, y + 1)) / 3);
        if (for_gpu) {
            f.gpu_tile(x, y, xi, yi, 32, 8);
            rows.compute_at(f, x).gpu_threads(x, y);
        }
        return f;
    });
}

template <class T> static double sums()
{
    Buffer<T> a = numbers<T>({512, 64}, 1);
    return difference<T>({64}, [=](bool for_gpu) {
        Func sum, f;
        RDom r(0, 512);
        sum(y) = cast<T>(0);
        sum(y) += a(r, y);
        f(y) = sum(y);
        if (for_gpu) {
            RVar outer, inner;
            Var u, ui;
            Func part = sum.update().split(r, outer, inner, 16).rfactor(outer, u);
            part.compute_root().gpu_tile(u, y, ui, yi, 16, 4);
            part.update().gpu_tile(u, y, ui, yi, 16, 4);
            sum.compute_root().gpu_tile(y, yi, 16);
            sum.update().gpu_tile(y, yi, 16);
            f.gpu_tile(y, yi, 16);
        }
        return f;
    });
}

static double lookup()
{
    Buffer<uint8_t> a = numbers<uint8_t>({300}, 1);
    return difference<float>({300}, [=](bool for_gpu) {
        Func table, f;
        table(x) = sin(x * 0.1f);
        f(x) = table(cast<int>(a(x)));
        if (for_gpu) {
            f.gpu_tile(x, xi, 32);
            table.compute_at(f, x).gpu_threads(x);
        }
        return f;
    });
}

static double scan()
{
    Buffer<int32_t> a = numbers<int32_t>({64, 32}, 1);
    return difference<int32_t>({64, 32}, [=](bool for_gpu) {
        Func f;
        RDom r(1, 63);
        f(x, y) = a(x, y);
        f(r, y) += f(r - 1, y);
        if (for_gpu) {
            f.compute_root().gpu_tile(x, y, xi, yi, 16, 4);
            f.update().gpu_tile(y, yi, 8);
        }
        return f;
    });
}

static double position_of_largest()
{
    Buffer<float> a = numbers<float>({200, 30}, 1);
    return difference<int32_t>({30}, [=](bool for_gpu) {
        Func best, f;
        RDom r(0, 200);
        best(y) = Tuple(0, a(0, y));
        Tuple so_far = best(y);
        best(y) = select(a(r, y) > so_far[1], Tuple(cast<int>(r), a(r, y)), so_far);
        f(y) = best(y)[0];
        if (for_gpu) {
            best.compute_root().gpu_tile(y, yi, 15);
            best.update().gpu_tile(y, yi, 15);
            f.gpu_tile(y, yi, 15);
        }
        return f;
    });
}

static double function(Expr (*of)(Expr))
{
    Buffer<float> a = numbers<float>({500}, 1);
    return difference<float>({500}, [=](bool for_gpu) {
        Func f;
        f(x) = of(a(x));
        if (for_gpu)
            f.gpu_tile(x, xi, 25);
        return f;
    });
}

int main(int argc, char **argv)
{
    for (Target::Feature feature : {Target::Vulkan, Target::VulkanInt8, Target::VulkanInt16, Target::VulkanInt64,
                                    Target::VulkanFloat64, Target::VulkanV13})
        gpu.set_feature(feature);
    const std::pair<const char *, std::function<double()>> cases[] = {
        {"arithmetic float", arithmetic<float>},
        {"arithmetic double", arithmetic<double>},
        {"arithmetic int8", arithmetic<int8_t>},
        {"arithmetic uint8", arithmetic<uint8_t>},
        {"arithmetic int16", arithmetic<int16_t>},
        {"arithmetic uint16", arithmetic<uint16_t>},
        {"arithmetic int32", arithmetic<int32_t>},
        {"arithmetic int64", arithmetic<int64_t>},
        {"arithmetic uint64", arithmetic<uint64_t>},
        {"bits uint8", bits<uint8_t>},
        {"bits uint16", bits<uint16_t>},
        {"bits int32", bits<int32_t>},
        {"bits uint32", bits<uint32_t>},
        {"bits int64", bits<int64_t>},
        {"bits uint64", bits<uint64_t>},
        {"float to int8", conversion<float, int8_t>},
        {"float to double", conversion<float, double>},
        {"float to uint64", conversion<float, uint64_t>},
        {"double to int64", conversion<double, int64_t>},
        {"int64 to float", conversion<int64_t, float>},
        {"uint64 to double", conversion<uint64_t, double>},
        {"int8 to int64", conversion<int8_t, int64_t>},
        {"int64 to int8", conversion<int64_t, int8_t>},
        {"int16 to uint32", conversion<int16_t, uint32_t>},
        {"vectors float", [] { return vectors<float>(4); }},
        {"vectors uint8", [] { return vectors<uint8_t>(4); }},
        {"vectors int64", [] { return vectors<int64_t>(4); }},
        {"matrices float", [] { return matrices<float>(96); }},
        {"matrices int32", [] { return matrices<int32_t>(64); }},
        {"matrices double", [] { return matrices<double>(64); }},
        {"blur", blur},
        {"sums float", sums<float>},
        {"sums int64", sums<int64_t>},
        {"lookup", lookup},
        {"scan", scan},
        {"position of largest", position_of_largest},
        {"sin", [] { return function([](Expr e) { return sin(e * 3); }); }},
        {"atan", [] { return function([](Expr e) { return atan(e * 4); }); }},
        {"exp", [] { return function([](Expr e) { return exp(e); }); }},
        {"log", [] { return function([](Expr e) { return log(abs(e) + 0.01f); }); }},
        {"sqrt", [] { return function([](Expr e) { return sqrt(abs(e)); }); }},
        {"tanh", [] { return function([](Expr e) { return tanh(e * 4); }); }},
        {"round", [] { return function([](Expr e) { return round(e * 10); }); }},
        {"erf", [] { return function([](Expr e) { return erf(e); }); }},
    };
    FILE *file = argc > 1 ? fopen(argv[1], "w") : nullptr;
    bool failed = !file;
    for (const auto &c : cases) {
        double most;
        try {
            most = c.second();
        } catch (const Error &error) {
            printf("%s: %s\n", c.first, error.what());
            most = NAN;
        }
        const bool agrees = most <= TOLERANCE;
        failed |= !agrees;
        printf("%s: off by %g\n", c.first, most);
        if (file)
            fprintf(file, "%s %s\n", c.first, agrees ? "agrees" : "differs");
    }
    if (file)
        failed |= fclose(file) != 0;
    return failed;
}
