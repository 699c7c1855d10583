"""What the tour says, in English and Chinese.

A panel of kind ``x`` has the texts ``x`` (its title), ``x.why`` (one sentence) and perhaps ``x.more``, told only
the first time.
"""

from __future__ import annotations

from translit.explain.language import Texts

TEXTS: Texts = {
    "title": ("A Transformer with pen and paper", "用纸和笔算一遍 Transformer"),
    "intro": (
        "A real Transformer, only tiny: vectors of {d_model} numbers, {heads} heads of width {d_k}, encoder "
        "layers: {encoder}, decoder layers: {decoder}. It reads “{source}” and should write “{target}”.",
        "一个真正的 Transformer，只是很小：向量有 {d_model} 个数，{heads} 个头，每个头宽 {d_k}，编码器 {encoder} 层，"
        "解码器 {decoder} 层。它读“{source}”，应写出“{target}”。",
    ),
    "intro.same_code": (
        "Every number below comes from the very code that translit trains and explains; none is made up.",
        "下面每个数都由 translit 训练和解释时用的同一份代码算出，没有一个是编的。",
    ),
    "intro.rounding": (
        "As on paper, every result is rounded to {decimals} decimals (halves away from zero) before the next step "
        "uses it, so a calculator gives the same digits. Without rounding, the final probabilities would differ by "
        "at most {difference}.",
        "和纸上一样，每步结果先四舍五入到 {decimals} 位小数，再进入下一步，所以用计算器能得到同样的数字。"
        "若不舍入，最后的概率最多相差 {difference}。",
    ),
    "intro.names": (
        "The lower edge of a frame, such as encoder.1.self.head1, begins the full names of its matrices: there Q "
        "is encoder.1.self.head1.Q. A cell is called [row, column]: Q[我, 2] is row 我, column 2. One cell of each "
        "matrix is written out.",
        "方框下沿的名字加上矩阵名就是矩阵的全名：方框 encoder.1.self.head1 里的 Q，全名是 encoder.1.self.head1.Q。"
        "格子记作 [行, 列]：Q[我, 2] 是“我”行第 2 列。每个矩阵都写出一格的算式。",
    ),
    "intro.simple": (
        "Kept simple: attention has no biases, and LayerNorm has no scale or shift of its own.",
        "为了简单：注意力没有偏置，LayerNorm 不带自己的缩放和平移。",
    ),
    "intro.parts": (
        "There are {count} frames. --pause waits after each one; --part encoder.1 shows only that part.",
        "共 {count} 个方框。--pause 每框停一下；--part encoder.1 只看那一部分。",
    ),
    "weights.trained": (
        "The weights were trained to copy the seven sentences that 我 爱 你 can make in this order, then rounded "
        "to two decimals.",
        "权重经过训练：照抄“我 爱 你”按此顺序能组成的七个句子；再取两位小数。",
    ),
    "weights.drawn": (
        "The weights are drawn at random (seed {seed}): an untrained model, so expect poor guesses.",
        "权重是随机抽取的（种子 {seed}）：模型没有训练过，猜不准很正常。",
    ),
    "weights.file": ("Vectors and weights: {file}.", "向量和权重来自 {file}。"),
    "weights.layers": (
        "Layers were added or left out, so the guesses are not those of the trained model.",
        "层数改变了，所以猜测不再是训练好的模型的猜测。",
    ),
    "weights.heads": (
        "The same weights are dealt out to another number of heads, so the guesses change.",
        "同样的权重分给了不同数目的头，所以猜测会变。",
    ),
    "weights.positions": (
        "The weights were trained without positions; with them the guesses become wrong. See how the waves enter, not "
        "what comes out.",
        "权重训练时没有位置编码；加上之后猜测会变错。这里看的是波怎样加进来，不是结果。",
    ),
    # Parts of the model
    "section.encoder.first": (
        "Encoder, layer 1: the words look at each other",
        "编码器第 1 层：词与词互相看",
    ),
    "section.encoder.next": (
        "Encoder, layer {layer}: reads what layer {before} wrote",
        "编码器第 {layer} 层：读第 {before} 层的输出",
    ),
    "section.decoder.first": (
        "Decoder, layer 1: looks at its own words, then at the source",
        "解码器第 1 层：先看自己写的词，再看原句",
    ),
    "section.decoder.next": (
        "Decoder, layer {layer}: reads what layer {before} wrote",
        "解码器第 {layer} 层：读第 {before} 层的输出",
    ),
    "section.output": ("Output: from vectors to words", "输出：从向量到词"),
    "part.encoder": ("encoder {layer}", "编码器 {layer}"),
    "part.decoder": ("decoder {layer}", "解码器 {layer}"),
    "part.self": ("self-attention", "自注意力"),
    "part.cross": ("cross-attention", "交叉注意力"),
    "part.head": ("head {head}", "头 {head}"),
    # Panels
    "embedding": ("words become vectors", "词变成向量"),
    "embedding.why": (
        "Each word becomes a vector: its row in a table, times √d = √{d_model}.",
        "每个词变成一个向量：从表里取出它那一行，乘以 √d = √{d_model}。",
    ),
    "embedding.more": (
        "From here on a word is only these {d_model} numbers.",
        "从这里起，一个词就是这 {d_model} 个数。",
    ),
    "embedding.order": (
        "A full model now adds a wave that tells first from second; left out here, as in many articles for beginners. "
        "`translit tour --positions` adds it.",
        "完整的模型接着会加上表示先后的波；这里和常见的文章一样先不加。`translit tour --positions` 会加上它。",
    ),
    "decoder_embedding": ("what is written so far", "已经写出的词"),
    "decoder_embedding.why": (
        "The decoder reads what has been written so far, behind a start sign <s>. Its words become vectors in the "
        "same way.",
        "解码器读已经写出的词，最前面是开始符号 <s>。这些词用同样的办法变成向量。",
    ),
    "positions": ("where a word stands", "词的位置"),
    "positions.why": (
        "A wave is added, different at every position, so that the model can tell first from second.",
        "给每个位置加上不同的波，模型才分得清谁先谁后。",
    ),
    "positions.more": (
        "Positions count from 0. Columns go in pairs: sin, then cos, of pos/10000^(2i/d).",
        "位置从 0 数起。每两列一对：pos/10000^(2i/d) 的 sin 和 cos。",
    ),
    "qkv": ("query, key, value", "查询 Q、键 K、值 V"),
    "qkv.why": (
        "Each word's vector turns into three: Q (what am I looking for?), K (what can I be found by?), "
        "V (what do I pass on?).",
        "每个词的向量变出三个：Q（我在找什么）、K（凭什么找到我）、V（我传递什么）。",
    ),
    "qkv.more": (
        "Each head has matrices of its own and so looks from its own angle, with vectors of length "
        "d_k = {d_model}/{heads} = {d_k}.",
        "每个头有自己的矩阵，所以各有各的角度；每个词在一个头里有 d_k = {d_model}/{heads} = {d_k} 个数。",
    ),
    "cross_qkv": ("it asks, the source answers", "解码器问，原句答"),
    "cross_qkv.why": (
        "Q comes from the words written so far, K and V from the encoder's output: here the target meets the source.",
        "Q 来自已写出的词，K 和 V 来自编码器的输出：译文在这里遇见原文。",
    ),
    "scores": ("who fits whom: scores", "谁和谁相配：分数"),
    "scores.why": (
        "Each query is multiplied with each key: the better they fit, the higher the score.",
        "每个查询与每个键相乘：越相配，分数越高。",
    ),
    "scores.more": (
        "Dividing by √d_k = √{d_k} keeps the scores moderate, however many numbers the vectors have.",
        "除以 √d_k = √{d_k}，维数再大，分数也不会太大。",
    ),
    "masked_scores": ("scores, with the future hidden", "分数，遮住未来"),
    "masked_scores.why": (
        "No word may look at a later one: where the mask is 0, the score becomes −∞.",
        "任何词都不许看后面的词：掩码为 0 的地方，分数变成 −∞。",
    ),
    "masked_scores.more": (
        "In training the whole answer lies on the table; without the mask the model would simply copy it.",
        "训练时整个答案都摆在桌上；没有掩码，模型照抄就行了。",
    ),
    "softmax": ("scores become shares", "分数变成份额"),
    "softmax.why": (
        "Softmax turns each row into shares that add up to 1: how much this word looks at each of the others.",
        "softmax 把每一行变成加起来为 1 的份额：这个词看其他各词各多少。",
    ),
    "softmax.more": (
        "Share = e^score / sum of the row's e^score; e^(−∞) is 0. Rounding may make a row add up to 0.9999 or 1.0001.",
        "份额 = e^分数 / 本行各 e^分数 之和；e^(−∞) 是 0。舍入后一行之和可能是 0.9999 或 1.0001。",
    ),
    "softmax.most": ("Looks most at:  {pairs}", "看得最多的是：{pairs}"),
    "blend": ("values are blended", "按份额混合"),
    "blend.why": (
        "Each word takes its share of every value. That is all attention is: a weighted average.",
        "每个词按份额取走各个值。注意力不过如此：加权平均。",
    ),
    "concat": ("the heads together", "各头合起来"),
    "concat.why": (
        "The heads' answers are laid side by side; W_O mixes them into {d_model} new numbers.",
        "各个头的结果并排放好，再由 W_O 混合成新的 {d_model} 个数。",
    ),
    "add_norm": ("add & norm", "残差与层归一化"),
    "add_norm.why": (
        "What came in is added again, so nothing gets lost; then each row is brought to mean 0 and variance 1.",
        "把进来的数再加上，什么都不会丢；再让每一行的平均数为 0、方差为 1。",
    ),
    "add_norm.more": (
        "LayerNorm: (x − μ)/√(σ² + 0.00001), with μ the row's mean and σ² its variance, both kept with two more "
        "decimals.",
        "LayerNorm：(x − μ)/√(σ² + 0.00001)，μ 是本行平均数，σ² 是方差，两者多保留两位小数。",
    ),
    "feed_forward": ("feed-forward", "前馈网络"),
    "feed_forward.why": (
        "Now each word thinks alone: W_1 widens it to {d_ff} numbers, ReLU sets negatives to 0, W_2 narrows it "
        "to {d_model} again.",
        "现在每个词独自思考：W_1 把它变宽成 {d_ff} 个数，ReLU 把负数变 0，W_2 再变窄成 {d_model} 个。",
    ),
    "logits": ("a score for every word", "给每个词打分"),
    "logits.why": (
        "Each vector is multiplied with the output matrix: one score for each of the {vocabulary} words it could "
        "write next.",
        "每个向量乘以输出矩阵：下一个可能写的 {vocabulary} 个词，各得一个分数。",
    ),
    "probabilities": ("scores become probabilities", "分数变成概率"),
    "probabilities.why": (
        "Softmax once more: the probability of each word to be the next one. In use, the model writes the "
        "likeliest one and asks again.",
        "再来一次 softmax：每个词是下一个词的概率。使用时，模型写下最可能的词，再问下一个。",
    ),
    "training": ("how it learns: fill in the blanks", "怎样学习：填空"),
    "training.why": (
        "The decoder reads the right answer shifted right behind <s>, and fills each blank. Its loss there is −ln "
        "of the probability it gave to the right word.",
        "解码器读的是右移一位、以 <s> 开头的正确答案，再填每个空。这一空的损失 = −ln（给正确词的概率）。",
    ),
    "training.more": (
        "Certain and right costs 0; guessing among {vocabulary} words costs ln {vocabulary} = {guess}. Thanks to "
        "the mask all blanks are filled in one go. Training changes the weights until the mean loss is small.",
        "确信且正确，损失为 0；在 {vocabulary} 个词里瞎猜，损失为 ln {vocabulary} = {guess}。"
        "有了掩码，所有空一次填完。训练就是改动权重，直到平均损失变小。",
    ),
    "training.reads": ("reads", "读到"),
    "training.right": ("right word", "正确词"),
    "training.probability": ("its probability", "它的概率"),
    "training.loss": ("loss", "损失"),
    "training.mean": ("mean loss", "平均损失"),
    "outro.title": ("Your turn", "轮到你了"),
    "outro": (
        "translit tour --quiz|it asks, you compute\n"
        "translit tour --quiz --part encoder.1.self.head1|… about one part only\n"
        "translit tour --write-answers sheet.toml|an answer sheet to fill in, …\n"
        "translit tour --check sheet.toml|… and to have marked\n"
        "translit tour --write-file my.toml|these numbers, to be changed, …\n"
        "translit tour --file my.toml|… and to compute again\n"
        "translit tour --seed 7|new weights: a new exercise",
        "translit tour --quiz|它出题，你来算\n"
        "translit tour --quiz --part encoder.1.self.head1|……只考这一部分\n"
        "translit tour --write-answers sheet.toml|写出一张答题纸，填好后……\n"
        "translit tour --check sheet.toml|……逐格批改\n"
        "translit tour --write-file my.toml|写出这些数字，改动后……\n"
        "translit tour --file my.toml|……重新计算\n"
        "translit tour --seed 7|换一组权重：一份新练习",
    ),
    "next": ("— Enter: go on, q: stop —", "—— 回车继续，q 结束 ——"),
    # Exercises
    "check.summary": (
        "{right} of {all} cells right (tolerance {tolerance}).",
        "{all} 格中 {right} 格正确（容差 {tolerance}）。",
    ),
    "check.first": (
        "Start with {cell}: later cells build on earlier ones.",
        "先看 {cell}：后面的格子建立在前面的格子上。",
    ),
    "check.wrong": ("{cell}: you have {answer}, it is {right}", "{cell}：你写 {answer}，应为 {right}"),
    "quiz.intro": (
        "{count} cells to compute. Round to {decimals} decimals; {tolerance} off still counts, and a wrong "
        "answer may be corrected once. Enter alone shows the way, q stops.",
        "共 {count} 题。保留 {decimals} 位小数，相差不超过 {tolerance} 都算对；答错可以再答一次。"
        "直接回车看算法，q 结束。",
    ),
    "quiz.question": ("Question {number}", "第 {number} 题"),
    "quiz.right": ("✓ right: {value}", "✓ 对：{value}"),
    "quiz.wrong": ("✗ no, it is {value}:", "✗ 不对，是 {value}："),
    "quiz.again": ("✗ not quite; once more:", "✗ 不太对，再算一次："),
    "quiz.shown": ("  it is {value}:", "  答案是 {value}："),
    "quiz.not_number": (
        "“{answer}” is not a number such as −0.25; try again:",
        "“{answer}”不是像 −0.25 那样的数，请重写：",
    ),
    "quiz.score": ("{right} of {asked} right.", "{asked} 题中答对 {right} 题。"),
}
