; SPIR-V
// Unordered comparisons, the signs of remainders, structs as results, and a switch whose default is never reached.
// push 1.5 2.5 -7 3
// out 21.0 -1.0 2.5 1.375
layout(location = 0) out vec4 c; (for the tests, which read declarations of GLSL)
OpCapability Shader
%glsl = OpExtInstImport "GLSL.std.450"
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main" %o
OpExecutionMode %main OriginUpperLeft
OpDecorate %o Location 0
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpMemberDecorate %block 1 Offset 4
OpMemberDecorate %block 2 Offset 8
OpMemberDecorate %block 3 Offset 12
%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%int = OpTypeInt 32 1
%uint = OpTypeInt 32 0
%bool = OpTypeBool
%vec4 = OpTypeVector %float 4
%modf = OpTypeStruct %float %float
%frexp = OpTypeStruct %float %int
%wide = OpTypeStruct %int %int
%block = OpTypeStruct %float %float %int %int
%push = OpTypePointer PushConstant %block
%push_float = OpTypePointer PushConstant %float
%push_int = OpTypePointer PushConstant %int
%out_vec4 = OpTypePointer Output %vec4
%fn_float = OpTypePointer Function %float
%fn_int = OpTypePointer Function %int
%p = OpVariable %push PushConstant
%o = OpVariable %out_vec4 Output
%i0 = OpConstant %int 0
%i1 = OpConstant %int 1
%i2 = OpConstant %int 2
%i3 = OpConstant %int 3
%f0 = OpConstant %float 0.0
%f1 = OpConstant %float 1.0
%f2 = OpConstant %float 2.0
%f4 = OpConstant %float 4.0
%f8 = OpConstant %float 8.0
%f16 = OpConstant %float 16.0
%main = OpFunction %void None %fn
%entry = OpLabel
%chosen = OpVariable %fn_float Function
%exponent_at = OpVariable %fn_int Function
%whole_at = OpVariable %fn_float Function
%pa = OpAccessChain %push_float %p %i0
%pb = OpAccessChain %push_float %p %i1
%pi = OpAccessChain %push_int %p %i2
%pj = OpAccessChain %push_int %p %i3
%a = OpLoad %float %pa
%b = OpLoad %float %pb
%i = OpLoad %int %pi
%j = OpLoad %int %pj
%eq = OpFUnordEqual %bool %a %a
%ne = OpFOrdNotEqual %bool %a %a
%lt = OpFUnordLessThan %bool %a %b
%gt = OpFUnordGreaterThan %bool %a %b
%le = OpFUnordLessThanEqual %bool %b %b
%ge = OpFUnordGreaterThanEqual %bool %a %b
%eq1 = OpSelect %float %eq %f1 %f0
%ne1 = OpSelect %float %ne %f2 %f0
%lt1 = OpSelect %float %lt %f4 %f0
%gt1 = OpSelect %float %gt %f8 %f0
%le1 = OpSelect %float %le %f16 %f0
%ge1 = OpSelect %float %ge %f2 %f0
%s1 = OpFAdd %float %eq1 %ne1
%s2 = OpFAdd %float %s1 %lt1
%s3 = OpFAdd %float %s2 %gt1
%s4 = OpFAdd %float %s3 %le1
%x = OpFAdd %float %s4 %ge1
%rem = OpSRem %int %i %j
%y = OpConvertSToF %float %rem
OpSelectionMerge %merge None
OpSwitch %j %never 2 %two 3 %three
%two = OpLabel
OpStore %chosen %f0
OpBranch %merge
%three = OpLabel
OpStore %chosen %b
OpBranch %merge
%never = OpLabel
OpUnreachable
%merge = OpLabel
%z = OpLoad %float %chosen
; 1.5 has the fraction 0.5, and is 0.75 times 2
%parts = OpExtInst %modf %glsl ModfStruct %a
%behind = OpCompositeExtract %float %parts 0
%again = OpExtInst %float %glsl Modf %a %whole_at
%one = OpLoad %float %whole_at
%half = OpFMul %float %again %one
%halves = OpExtInst %frexp %glsl FrexpStruct %a
%mantissa = OpCompositeExtract %float %halves 0
%more = OpExtInst %float %glsl Frexp %a %exponent_at
%exponent = OpLoad %int %exponent_at
%product = OpSMulExtended %wide %exponent %i1
%low = OpCompositeExtract %int %product 0
%back = OpExtInst %float %glsl Ldexp %mantissa %low
%square = OpFMul %float %behind %half
%quarter = OpFDiv %float %square %f2
%sum = OpFSub %float %back %quarter
%color = OpCompositeConstruct %vec4 %x %y %z %sum
OpStore %o %color
OpReturn
OpFunctionEnd
