; SPIR-V
// Constant indices out of range of vectors, matrices and arrays, in code that never runs and in code that does.
// push 1.5 2.5 -7 3
// out 1.5 6.0 2.5 4.0
layout(location = 0) out vec4 c; (for the tests, which read declarations of GLSL)
OpCapability Shader
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
%bool = OpTypeBool
%vec2 = OpTypeVector %float 2
%vec4 = OpTypeVector %float 4
%mat2 = OpTypeMatrix %vec2 2
%i0 = OpConstant %int 0
%i1 = OpConstant %int 1
%i2 = OpConstant %int 2
%i3 = OpConstant %int 3
%i4 = OpConstant %int 4
%far = OpConstant %int -1
%array = OpTypeArray %float %i3
%block = OpTypeStruct %float %float %int %int
%push = OpTypePointer PushConstant %block
%push_float = OpTypePointer PushConstant %float
%push_int = OpTypePointer PushConstant %int
%out_vec4 = OpTypePointer Output %vec4
%out_float = OpTypePointer Output %float
%fn_float = OpTypePointer Function %float
%fn_mat2 = OpTypePointer Function %mat2
%fn_vec2 = OpTypePointer Function %vec2
%fn_array = OpTypePointer Function %array
%p = OpVariable %push PushConstant
%o = OpVariable %out_vec4 Output
%f0 = OpConstant %float 0.0
%f1 = OpConstant %float 1.0
%f2 = OpConstant %float 2.0
%f4 = OpConstant %float 4.0
%v12 = OpConstantComposite %vec2 %f1 %f2
%m = OpConstantComposite %mat2 %v12 %v12
%a = OpConstantComposite %array %f1 %f1 %f4
%main = OpFunction %void None %fn
%entry = OpLabel
%matrix = OpVariable %fn_mat2 Function
%list = OpVariable %fn_array Function
OpStore %matrix %m
OpStore %list %a
%px = OpAccessChain %push_float %p %i0
%py = OpAccessChain %push_float %p %i1
%pj = OpAccessChain %push_int %p %i3
%x = OpLoad %float %px
%y = OpLoad %float %py
%j = OpLoad %int %pj
%never = OpSGreaterThan %bool %j %i4
OpSelectionMerge %end None
OpBranchConditional %never %dead %end
%dead = OpLabel
%column = OpAccessChain %fn_vec2 %matrix %i4
OpStore %column %v12
%cell = OpAccessChain %fn_float %matrix %i0 %i3
OpStore %cell %f0
%item = OpAccessChain %fn_float %list %far
OpStore %item %f0
%part = OpAccessChain %out_float %o %i4
OpStore %part %f0
OpBranch %end
%end = OpLabel
%beyond = OpAccessChain %fn_float %list %i4
%some = OpLoad %float %beyond
%element = OpAccessChain %fn_float %list %i2
%last = OpLoad %float %element
%corner = OpAccessChain %fn_float %matrix %i1 %i1
%two = OpLoad %float %corner
%sum = OpFAdd %float %last %two
%zero = OpFMul %float %some %f0
%w = OpFAdd %float %last %zero
%color = OpCompositeConstruct %vec4 %x %sum %y %w
OpStore %o %color
OpReturn
OpFunctionEnd
