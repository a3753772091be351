; SPIR-V
; Version: 1.4
// Ldexp whose exponents have 8, 16 and 64 bits, also with halves; a 64-bit one that no 32-bit integer holds gives zero.
// differs because exponents of other widths than 32 bits corrupt the memory of the reference
// out@0 0.375 1.5 0.375 1.0
// out@3 3.0 12.0 3.0 8.0
// out@9 192.0 768.0 192.0 0.0
layout(location = 0) out vec4 c; (for the tests, which read declarations of GLSL)
layout(location = 0) in vec4 v;
OpCapability Shader
OpCapability Int8
OpCapability Int16
OpCapability Int64
OpCapability Float16
%glsl = OpExtInstImport "GLSL.std.450"
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main" %v %o
OpExecutionMode %main OriginUpperLeft
OpDecorate %v Location 0
OpDecorate %o Location 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%float = OpTypeFloat 32
%half = OpTypeFloat 16
%int = OpTypeInt 32 1
%long = OpTypeInt 64 1
%short = OpTypeInt 16 1
%byte = OpTypeInt 8 1
%vec4 = OpTypeVector %float 4
%half2 = OpTypeVector %half 2
%long2 = OpTypeVector %long 2
%in_vec4 = OpTypePointer Input %vec4
%out_vec4 = OpTypePointer Output %vec4
%v = OpVariable %in_vec4 Input
%o = OpVariable %out_vec4 Output
%one = OpConstant %float 1.0
%f15 = OpConstant %float 1.5
%sm2 = OpConstant %short -2
%bm2 = OpConstant %byte -2
%lm2 = OpConstant %long -2
%l0 = OpConstant %long 0
%i8 = OpConstant %int 8
%far = OpConstant %long -1099511627775
%main = OpFunction %void None %fn
%entry = OpLabel
%value = OpLoad %vec4 %v
%x = OpCompositeExtract %float %value 0
%i = OpConvertFToS %int %x
%l = OpSConvert %long %i
%s = OpSConvert %short %i
%b = OpSConvert %byte %i
%s_2 = OpIAdd %short %s %sm2
%b_2 = OpIAdd %byte %b %bm2
%l_2 = OpIAdd %long %l %lm2
%h15 = OpFConvert %half %f15
%halves = OpCompositeConstruct %half2 %h15 %h15
%by_short = OpExtInst %float %glsl Ldexp %f15 %s_2
%by_byte = OpExtInst %half %glsl Ldexp %h15 %b_2
%from_byte = OpFConvert %float %by_byte
%longs = OpCompositeConstruct %long2 %l %l
%by_long = OpExtInst %half2 %glsl Ldexp %halves %longs
%first = OpCompositeExtract %half %by_long 0
%from_long = OpFConvert %float %first
%beyond = OpSGreaterThan %bool %i %i8
%e = OpSelect %long %beyond %far %l
%ends = OpExtInst %float %glsl Ldexp %one %e
%result = OpCompositeConstruct %vec4 %by_short %from_long %from_byte %ends
OpStore %o %result
OpReturn
OpFunctionEnd
