#version 450
// Nested loops that each carry their own values: more live values than registers.
// out@0 206.0 21.0 50.0 1.0
// out@1 73.0 22.0 54.0 1.0
// out@7 150.0 25.0 60.0 1.0
// cpu values of 14 loops
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main() {
  int steps = 0, sum = 1, most = 40 + int(v.x);
  float mix = 0.0;
  for (int i0 = 0; i0 < 3 && steps < most; i0++, steps++) {
   sum = sum * 3 + i0; mix += float(sum & 7) * 0.125;
   for (int i1 = 0; i1 < 3 && steps < most; i1++, steps++) {
    sum = sum * 3 + i1; mix += float(sum & 7) * 0.125;
    for (int i2 = 0; i2 < 3 && steps < most; i2++, steps++) {
     sum = sum * 3 + i2; mix += float(sum & 7) * 0.125;
     for (int i3 = 0; i3 < 3 && steps < most; i3++, steps++) {
      sum = sum * 3 + i3; mix += float(sum & 7) * 0.125;
      for (int i4 = 0; i4 < 3 && steps < most; i4++, steps++) {
       sum = sum * 3 + i4; mix += float(sum & 7) * 0.125;
       for (int i5 = 0; i5 < 3 && steps < most; i5++, steps++) {
        sum = sum * 3 + i5; mix += float(sum & 7) * 0.125;
        for (int i6 = 0; i6 < 3 && steps < most; i6++, steps++) {
         sum = sum * 3 + i6; mix += float(sum & 7) * 0.125;
         for (int i7 = 0; i7 < 3 && steps < most; i7++, steps++) {
          sum = sum * 3 + i7; mix += float(sum & 7) * 0.125;
          for (int i8 = 0; i8 < 3 && steps < most; i8++, steps++) {
           sum = sum * 3 + i8; mix += float(sum & 7) * 0.125;
           for (int i9 = 0; i9 < 3 && steps < most; i9++, steps++) {
            sum = sum * 3 + i9; mix += float(sum & 7) * 0.125;
            for (int i10 = 0; i10 < 3 && steps < most; i10++, steps++) {
             sum = sum * 3 + i10; mix += float(sum & 7) * 0.125;
             for (int i11 = 0; i11 < 3 && steps < most; i11++, steps++) {
              sum = sum * 3 + i11; mix += float(sum & 7) * 0.125;
              for (int i12 = 0; i12 < 3 && steps < most; i12++, steps++) {
               sum = sum * 3 + i12; mix += float(sum & 7) * 0.125;
               for (int i13 = 0; i13 < 3 && steps < most; i13++, steps++) {
                sum = sum * 3 + i13; mix += float(sum & 7) * 0.125;
  }}}}}}}}}}}}}}
  o = vec4(float(sum & 255), mix, float(steps), 1.0);
}
