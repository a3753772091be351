#version 450
struct part {
    vec2 place;
    uvec2 number;
};
struct parts {
    part a[2];
    int last;
};
struct slope {
    float x, y;
};
layout(location = 0) in block {
    vec2 at;
    flat parts flats;
    noperspective slope slopes[2];
} from;
layout(location = 0) out vec4 color;
void main()
{
    bool is_same = from.flats.a[0].number == uvec2(1, 70) && from.flats.a[1].number.y == 0xfffffffeu &&
                   from.flats.a[1].number.x <= 4 && from.flats.last == -9;
    color = is_same ? vec4(from.slopes[0].x, from.slopes[1].x * 0.5 + 0.5 * from.slopes[0].y,
                           0.25 * from.flats.a[1].place.x + 0.25 * from.at.x, from.slopes[1].y)
                    : vec4(0.0, 0.0, 0.0, 0.5);
}
