#version 450
// An array that is too large for registers: each pixel sorts numbers of its own, and looks one of them up.
layout(location = 0) out vec4 color;

int numbers[100];

void main()
{
    ivec2 at = ivec2(gl_FragCoord.xy);
    int next = at.x * 64 + at.y;
    for (int i = 0; i < 100; i++) {
        next = (next * 75 + 74) % 65537;
        numbers[i] = next;
    }
    for (int gap = 50; gap > 0; gap /= 2) // Shell's sort
        for (int i = gap; i < 100; i++) {
            int n = numbers[i], k = i;
            for (; k >= gap && numbers[k - gap] > n; k -= gap)
                numbers[k] = numbers[k - gap];
            numbers[k] = n;
        }
    int least = numbers[0], middle = numbers[(at.x + at.y) % 100], most = numbers[99];
    color = vec4(float(least % 256) / 255.0, float(middle % 256) / 255.0, float(most % 256) / 255.0,
                 float(middle / 257) / 255.0);
}
