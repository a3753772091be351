; SPIR-V
// Instructions that do not affect the result, and decoration groups: two blocks of one layout, one mostly row-major.
// push 1.0 2.0 3.0 4.0 5.0 6.0 7.0 8.0
// out 1.0 3.0 6.0 4.0
layout(location = 0) out vec4 c; (for the tests, which read declarations of GLSL)
OpCapability Shader
OpCapability Matrix
OpExtension "SPV_KHR_storage_buffer_storage_class"
%glsl = OpExtInstImport "GLSL.std.450"
OpMemoryModel Logical Simple
OpEntryPoint Fragment %main "main" %o
OpExecutionMode %main OriginUpperLeft
%file = OpString "module_furniture"
OpSource GLSL 450 %file "void main()"
OpSourceContinued "{ }"
OpSourceExtension "none"
OpName %main "main"
OpMemberName %block 0 "m"
OpDecorate %o Location 0
OpDecorate %group RowMajor
OpDecorate %group MatrixStride 8
OpDecorate %group Offset 0
OpDecorate %blocks Block
%group = OpDecorationGroup
%blocks = OpDecorationGroup
OpGroupMemberDecorate %group %block 0
OpMemberDecorate %block 1 Offset 16
OpGroupDecorate %blocks %block
%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%int = OpTypeInt 32 1
%bool = OpTypeBool
%vec2 = OpTypeVector %float 2
%vec4 = OpTypeVector %float 4
%mat2 = OpTypeMatrix %vec2 2
%block = OpTypeStruct %mat2 %vec4
%push = OpTypePointer PushConstant %block
%push_mat2 = OpTypePointer PushConstant %mat2
%push_vec4 = OpTypePointer PushConstant %vec4
%fn_vec4 = OpTypePointer Function %vec4
%fn_float = OpTypePointer Function %float
%out_vec4 = OpTypePointer Output %vec4
%p = OpVariable %push PushConstant
%o = OpVariable %out_vec4 Output
OpLine %file 1 1
%zero = OpConstantNull %int
%one = OpConstant %int 1
%two = OpConstant %int 2
%nothing = OpConstantNull %vec4
%nowhere = OpUndef %float
OpNoLine
%main = OpFunction %void Inline|Pure %fn
%entry = OpLabel
%v = OpVariable %fn_vec4 Function %nothing
%w = OpVariable %fn_vec4 Function
OpNop
OpLine %file 2 1
%member = OpInBoundsAccessChain %push_vec4 %p %one
OpCopyMemory %v %member
OpNoLine
OpCopyMemory %w %v Volatile|Aligned 4
%third = OpInBoundsAccessChain %fn_float %w %two
%m_at = OpAccessChain %push_mat2 %p %zero
%m = OpLoad %mat2 %m_at
%column = OpCompositeExtract %vec2 %m 0
%same = OpCopyObject %vec2 %column
%x = OpCompositeExtract %float %same 0
%y = OpCompositeExtract %float %same 1
%unused = OpFAdd %float %nowhere %nowhere
%loaded = OpLoad %vec4 %w Nontemporal
%z = OpVectorExtractDynamic %float %loaded %one
%filled = OpVectorInsertDynamic %vec4 %nothing %z %two
%f1 = OpCompositeInsert %vec4 %x %filled 0
%f2 = OpCompositeInsert %vec4 %y %f1 1
%t = OpLoad %float %third
%t3 = OpFSub %float %t %y
%f3 = OpCompositeInsert %vec4 %t3 %f2 3
OpStore %o %f3
OpReturn
OpFunctionEnd
