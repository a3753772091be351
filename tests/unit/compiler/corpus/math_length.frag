#version 450
// out@0 2.0 2.236068 2.0
// out@3 3.25 3.5443617 1.25
// out@6 6.0207973 6.1032778 0.5
// out@9 9.0034716 9.1138631 0.25
// out@15 15.1017383 15.1678113 1.75
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    o = vec4(length(v.xy), length(v), length(v.y), 0.0);
}
