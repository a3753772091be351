; SPIR-V
; Version: 1.4
; Every other column is demoted. Volatile loads of HelperInvocation see it, others tell what was at the start. Only the
; columns between them write, so they look at their neighbours through derivatives.
OpCapability Shader
OpCapability DemoteToHelperInvocationEXT
OpExtension "SPV_EXT_demote_to_helper_invocation"
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main" %place %helper %color
OpExecutionMode %main OriginUpperLeft
OpDecorate %place BuiltIn FragCoord
OpDecorate %helper BuiltIn HelperInvocation
OpDecorate %color Location 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%float = OpTypeFloat 32
%vec4 = OpTypeVector %float 4
%in_vec4 = OpTypePointer Input %vec4
%in_bool = OpTypePointer Input %bool
%out_vec4 = OpTypePointer Output %vec4
%n0 = OpConstant %uint 0
%n1 = OpConstant %uint 1
%f0 = OpConstant %float 0.0
%f1 = OpConstant %float 1.0
%place = OpVariable %in_vec4 Input
%helper = OpVariable %in_bool Input
%color = OpVariable %out_vec4 Output
%main = OpFunction %void None %fn
%entry = OpLabel
%before = OpLoad %bool %helper Volatile
%at = OpLoad %vec4 %place
%x = OpCompositeExtract %float %at 0
%column = OpConvertFToU %uint %x
%low = OpBitwiseAnd %uint %column %n1
%is_odd = OpINotEqual %bool %low %n0
OpSelectionMerge %merge None
OpBranchConditional %is_odd %odd %merge
%odd = OpLabel
OpDemoteToHelperInvocationEXT
OpBranch %merge
%merge = OpLabel
%after = OpLoad %bool %helper Volatile
%start = OpLoad %bool %helper
%fa = OpSelect %float %after %f1 %f0
%fb = OpSelect %float %before %f1 %f0
%fs = OpSelect %float %start %f1 %f0
%da = OpDPdx %float %fa
%db = OpDPdx %float %fb
%ds = OpDPdx %float %fs
%out = OpCompositeConstruct %vec4 %da %db %ds %f1
OpStore %color %out
OpReturn
OpFunctionEnd
