"""What the report of [Pedrammehr 2012] says where it computes nothing."""

WITHOUT_SPIN = (
    "“Simplified” is the model without spin: (10) and (11) solved with ω·n = 0 and α·n = 0. Its α is not the part of "
    "the improved α across the pod: the centripetal term of (11) holds the spin too, so that the two differ by ω_t ω_n "
    "× n besides α_t n. Sizes of vectors are drawn, the size of their difference and the difference of their sizes; the "
    "paper does not say whether its curves are sizes, nor which difference it draws. Above: our axes, with which nothing "
    "spins on path 1; below: axes along b_i, whose differences of sizes on path 1 are in the text's order (see the "
    "part before), and which nobody has stated. α is with the corrected (25); its slip is in the table."
)
SENTENCES = (
    "The paper says that (10) and (11) are not of full rank for ω and α: they are not, n × has rank 2. It says that both "
    "models “will be identical if there is no rotation around the axial direction”: so they are with our axes on path 1, "
    "where ω_t and α_t are zero. The library's angular velocities are compared with (15)–(17), with our axes alone. Its "
    "angular accelerations are not; α·c by (22)–(25) is held beside that of (18) here, α beside the rate of ω in the tests."
)
MODELS = (
    "“As printed”: (25), (32)–(33) and (50) as they stand, parallel axes counted twice and in mixed axes, in the closed "
    "form (42)–(43) without their terms off the axis; what may be a fault of our text († among the misprints) is read as "
    "it must be. “Corrected”: all of them corrected. “Simplified”: our equations without spin and with the joint's "
    "moment along the pod, which is what the paper says of its references [19, 20], tensors about the mass centres; "
    "not their equations, which we do not have. Which of the paper's two routes its program takes is not said: what is "
    "drawn is the direct one. The text says that Figs. 9 and 10 show paths 1 and 2, their captions say paths 2 and 3: "
    "all three are drawn. It names its reference [19] as the model compared with, and [20] where it discusses them. What "
    "is counted here compares two programs by the same equations, NumPy's and the transcription in the tests; the library is "
    "in neither."
)
TIME = (
    "The paper gives one time, for “the mentioned paths”, by tic and toc. It prints neither which of the three (ours are "
    "all) nor how many samples that is, nor what else the program does, and machine and language are others: the times "
    "stand beside each other, no ratio follows. Ours are more a state than the cost in the first part: joints are closed "
    "from the poses too, and a batch is one path. The corrected equations are a NumPy program that takes all states of a "
    "path at once."
)
