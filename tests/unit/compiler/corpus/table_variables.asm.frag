; SPIR-V
// Private and Function variables with initialisers, as naga and Tint make them, and indices of 16 and 64 bits. A variable
// with an initialiser that is stored to is no table of constants.
// out@0 0.5 0.25 16.0 0.25
// out@3 2.5 9.25 20.0 9.25
// out@6 4.5 7.25 24.0 7.25
// out@9 6.5 5.25 28.0 6.5
// out@15 10.5 1.25 36.0 10.5
layout(location = 0) in vec4 v; (for the tests, which read declarations of GLSL)
layout(location = 0) out vec4 o;
OpCapability Shader
OpCapability Int16
OpCapability Int64
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main" %v %o
OpExecutionMode %main OriginUpperLeft
OpDecorate %v Location 0
OpDecorate %o Location 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%int = OpTypeInt 32 1
%uint = OpTypeInt 32 0
%short = OpTypeInt 16 1
%long = OpTypeInt 64 0
%bool = OpTypeBool
%vec4 = OpTypeVector %float 4
%in_vec4 = OpTypePointer Input %vec4
%out_vec4 = OpTypePointer Output %vec4
%in_float = OpTypePointer Input %float
%v = OpVariable %in_vec4 Input
%o = OpVariable %out_vec4 Output
%i0 = OpConstant %int 0
%i8 = OpConstant %int 8
%l4 = OpConstant %long 4
%count = OpConstant %uint 20
%array = OpTypeArray %float %count
%own = OpTypePointer Private %array
%own_float = OpTypePointer Private %float
%local = OpTypePointer Function %array
%local_float = OpTypePointer Function %float
%v0 = OpConstant %float 0.5
%x0 = OpConstant %float 0.25
%v1 = OpConstant %float 13.5
%x1 = OpConstant %float 3.25
%v2 = OpConstant %float 26.5
%x2 = OpConstant %float 6.25
%v3 = OpConstant %float 2.5
%x3 = OpConstant %float 9.25
%v4 = OpConstant %float 15.5
%x4 = OpConstant %float 1.25
%v5 = OpConstant %float 28.5
%x5 = OpConstant %float 4.25
%v6 = OpConstant %float 4.5
%x6 = OpConstant %float 7.25
%v7 = OpConstant %float 17.5
%x7 = OpConstant %float 10.25
%v8 = OpConstant %float 30.5
%x8 = OpConstant %float 2.25
%v9 = OpConstant %float 6.5
%x9 = OpConstant %float 5.25
%v10 = OpConstant %float 19.5
%x10 = OpConstant %float 8.25
%v11 = OpConstant %float 32.5
%x11 = OpConstant %float 0.25
%v12 = OpConstant %float 8.5
%x12 = OpConstant %float 3.25
%v13 = OpConstant %float 21.5
%x13 = OpConstant %float 6.25
%v14 = OpConstant %float 34.5
%x14 = OpConstant %float 9.25
%v15 = OpConstant %float 10.5
%x15 = OpConstant %float 1.25
%v16 = OpConstant %float 23.5
%x16 = OpConstant %float 4.25
%v17 = OpConstant %float 36.5
%x17 = OpConstant %float 7.25
%v18 = OpConstant %float 12.5
%x18 = OpConstant %float 10.25
%v19 = OpConstant %float 25.5
%x19 = OpConstant %float 2.25
%vs = OpConstantComposite %array %v0 %v1 %v2 %v3 %v4 %v5 %v6 %v7 %v8 %v9 %v10 %v11 %v12 %v13 %v14 %v15 %v16 %v17 %v18 %v19
%same = OpConstantComposite %array %v0 %v1 %v2 %v3 %v4 %v5 %v6 %v7 %v8 %v9 %v10 %v11 %v12 %v13 %v14 %v15 %v16 %v17 %v18 %v19
%xs = OpConstantComposite %array %x0 %x1 %x2 %x3 %x4 %x5 %x6 %x7 %x8 %x9 %x10 %x11 %x12 %x13 %x14 %x15 %x16 %x17 %x18 %x19
%private = OpVariable %own Private %vs
%changed = OpVariable %own Private %xs
%main = OpFunction %void None %fn
%entry = OpLabel
%function = OpVariable %local Function %xs
%copy = OpVariable %local Function %same
%px = OpAccessChain %in_float %v %i0
%x = OpLoad %float %px
%i = OpConvertFToS %int %x
%short_i = OpSConvert %short %i
%u = OpConvertFToU %long %x
%u4 = OpIAdd %long %u %l4
%all = OpLoad %array %private
OpStore %copy %all
%late = OpSGreaterThanEqual %bool %i %i8
OpSelectionMerge %merge None
OpBranchConditional %late %then %merge
%then = OpLabel
OpStore %changed %vs
OpBranch %merge
%merge = OpLabel
%p0 = OpAccessChain %own_float %private %short_i
%r0 = OpLoad %float %p0
%p1 = OpAccessChain %local_float %function %i
%r1 = OpLoad %float %p1
%p2 = OpAccessChain %local_float %copy %u
%a2 = OpLoad %float %p2
%p3 = OpAccessChain %own_float %private %u4
%b2 = OpLoad %float %p3
%r2 = OpFAdd %float %a2 %b2
%p4 = OpAccessChain %own_float %changed %i
%r3 = OpLoad %float %p4
%r = OpCompositeConstruct %vec4 %r0 %r1 %r2 %r3
OpStore %o %r
OpReturn
OpFunctionEnd
