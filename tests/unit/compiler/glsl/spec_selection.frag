#version 450
// Functions that select among their cases by a specialisation constant, through a function. Only the cases that run may be
// translated: all together are 8^7 calls.
// out@0 255.0 5.0 1.0 4.0
// out@1 256.0 5.0 1.0 4.0
layout(constant_id = 0) const uint FORMAT = 37u;
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
uint mode()
{
    switch (FORMAT) {
    case 9u:
    case 16u:
        return 1u;
    case 37u:
    case 44u:
        return 6u;
    case 97u:
        return 3u;
    }
    return 0u;
}
float level0(float x)
{
    if (mode() == 6u)
        return x + 1.0;
    else if (mode() == 3u || FORMAT == 44u)
        return x * 2.0;
    return x;
}
#define LEVEL(name, inner)                                                                                                      \
    float name(float x)                                                                                                         \
    {                                                                                                                           \
        float y = x;                                                                                                            \
        switch (mode()) {                                                                                                       \
        case 0u: y = inner(x) * 3.0; break;                                                                                     \
        case 1u: y = inner(x) + 3.0; break;                                                                                     \
        case 2u: y = inner(x) - 3.0;                                                                                            \
        case 3u: y += inner(x) * 5.0; break;                                                                                    \
        case 4u: return inner(x + 9.0);                                                                                         \
        case 6u: y = inner(x) + 1.0;                                                                                            \
        case 7u: y += inner(x); break;                                                                                          \
        default: y = inner(x + 2.0);                                                                                            \
        }                                                                                                                       \
        if (mode() != 6u)                                                                                                       \
            for (int i = 0; i < 3; i++)                                                                                         \
                y += inner(y);                                                                                                  \
        return y - x;                                                                                                           \
    }
LEVEL(level1, level0)
LEVEL(level2, level1)
LEVEL(level3, level2)
LEVEL(level4, level3)
LEVEL(level5, level4)
LEVEL(level6, level5)
LEVEL(level7, level6)
/* The case that runs leaves the function from within a loop. */
float leaves(float x)
{
    float sum = 0.0;
    for (int i = 0; i < 10; i++) {
        if (mode() == 3u)
            continue;
        sum += float(i);
        if (FORMAT == 37u) {
            if (i == 4)
                return 5.0;
        } else if (x > 100.0) {
            break;
        }
        if (mode() == 6u)
            continue;
        sum += 100.0;
    }
    return sum;
}
float never(float x)
{
    while (true) {
        if (FORMAT == 37u)
            return 1.0;
        x += level7(x);
    }
    return x;
}
float until(float x)
{
    float n = 0.0;
    do {
        n += 1.0;
        if (mode() == 6u && n < 4.0)
            continue;
        break;
    } while (FORMAT != 9u);
    return n;
}
void main()
{
    o = vec4(level7(v.x), leaves(v.y), never(v.x), until(v.z));
}
