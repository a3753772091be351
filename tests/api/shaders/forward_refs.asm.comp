; SPIR-V
; Version: 1.3
; Debug information of a type with a pointer to itself: the pointer refers to the composite, which is defined after it. The
; instructions are DebugSource, DebugCompilationUnit, DebugTypePointer, DebugTypeMember and DebugTypeComposite.
OpCapability Shader
OpExtension "SPV_KHR_non_semantic_info"
OpExtension "SPV_KHR_relaxed_extended_instruction"
OpExtension "SPV_KHR_storage_buffer_storage_class"
%set = OpExtInstImport "NonSemantic.Shader.DebugInfo.100"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %id
OpExecutionMode %main LocalSize 64 1 1
%file = OpString "list.comp"
%name = OpString "list"
OpDecorate %id BuiltIn LocalInvocationIndex
OpDecorate %words ArrayStride 4
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%n0 = OpConstant %uint 0
%n1 = OpConstant %uint 1
%n3 = OpConstant %uint 3
%n4 = OpConstant %uint 4
%n64 = OpConstant %uint 64
%n100 = OpConstant %uint 100
%source = OpExtInst %void %set 35 %file
%unit = OpExtInst %void %set 1 %n100 %n4 %source %n1
%pointer = OpExtInstWithForwardRefsKHR %void %set 3 %node %n0 %n0
%next = OpExtInst %void %set 11 %name %pointer %source %n3 %n1 %n0 %n64 %n0
%node = OpExtInst %void %set 10 %name %n1 %source %n1 %n1 %unit %name %n64 %n0 %next
%words = OpTypeRuntimeArray %uint
%block = OpTypeStruct %words
%to_block = OpTypePointer StorageBuffer %block
%to_uint = OpTypePointer StorageBuffer %uint
%in_uint = OpTypePointer Input %uint
%out = OpVariable %to_block StorageBuffer
%id = OpVariable %in_uint Input
%main = OpFunction %void None %fn
%entry = OpLabel
%i = OpLoad %uint %id
%product = OpIMul %uint %i %n3
%p = OpAccessChain %to_uint %out %n0 %i
OpStore %p %product
OpReturn
OpFunctionEnd
