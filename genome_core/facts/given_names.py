"""First names beyond the common English ones of ``nouns``. Left out are those that are an ordinary English word."""

from __future__ import annotations

MORE_FEMALE = frozenset(
    """
abena adaora adwoa afia agatha agnese aiko ailbhe akinyi akua alessia amélie ananya andreea angharad anjali anke
annika antje antonella aurelie aurélie ayse ayşe bea beate beryl bettina bojana bronte bushra busisiwe caoimhe
carlotta carys catarina catrin cerys chioma conceicao conceição concetta consuelo cornelia céline dagmar defne deirdre
delphine donatella edna efua elin eliska eliška elke eluned emanuela enid esperanza estelle fabiola farah federica
femke fernanda ffion filipa fionnuala fiorella fleur folake freja ginevra gisela gladys gosia graciela grainne
graziella gráinne guadalupe gudrun hafsa hannelore hilda héloïse ifeoma ilaria ileana inge inmaculada inès inês ioana
irmgard itziar ivana jelena jiyeon jolanda josiane kasia katrin keiko khadija lea leonor lerato leticia letizia lidia
lieke liesel lieselotte linnea liv loredana lowri ludmila ludovica léa maaike maelle maeve mafalda mair makena manon
margaux margo marguerite mariam mariangela maribel marieke marisa marzia maëlle mechthild milena minji mirela
montserrat morven nadira nandi nerys nicoletta nisha njeri nneka noa noemie nokuthula nomvula noémie nuria oana oceane
océane oksana olamide olena ornella paloma patrizia perrine pilar raffaella raluca raquel reem reena remedios renate
ritu rocio rocío rosalba rosana rosemarie rukhsana sabine sadia safiya sanne saoirse saskia senga shanice shazia
shreya sieglinde sigrid simona siân socorro solange soledad solveig soojin sumaya svenja temitope thandiwe thuy
tiziana waltraud wanjiru ximena xiulan yetunde yusra zahra zanele zeynep zuzana
""".split()
)
MORE_MALE = frozenset(
    """
aarav abdul abdullah achim adebayo aditya adnan adriano agostino akash alberto aldo aled alessio alun amedeo andrej
andres andrés anish ankit aonghas arash arnaldo asif ayodele babajide babak baptiste bashir benoit benoît bernd
bertrand blaise bryn burkhard caio ceri cesar cesare chetan chidi christoph christophe chukwuma ciaran ciarán cillian
claudio cledwyn corrado cristiano césar daan dafydd damiano davide deniz detlef dewi diarmuid didier dilip diogo
domenico eberhard eckhard eduardo efrain efraín ekow elfyn elio emile emiliano emlyn emyr eoin ernst etienne ettore
euan ewald fabien fabián fabrice fabrizio farid farooq femi fermin fermín filippo fitz flavio friedrich gael gaetano
gaspard gaston gaurav gaël gennaro geraint gerhard giacomo giancarlo gianluca gianni gilles gioacchino giordano
giorgio girish giuliano giuseppe glyn goncalo gonzalo gonçalo gruffydd guillaume gunther gwilym günther hans-peter
harish haroon hartmut hefin heiko heinz henk hernan hernán herve hervé hinrich honza horst huw hywel idwal iestyn
ieuan ifan ignacio ikenna ilyas innes iolo iorwerth ismael jabir jacek jacopo jacques jaime jakob jatin jens jeroen
jiri jiří joao joaquín jochen joost joão junaid jurgen jérôme kamau kartik kees kelechi kerem khalid kian kiprop kojo
kunal kwaku kwesi leandro lilian llew loic lothar loïc luciano ludger ludovic lwazi maarten mahesh mahmoud manfred
manish mansour marcello mariano martín massimo matej matias matthieu mattia matías mauricio maurizio maxime meirion
michele mikkel mirko mukesh murat mwangi nabil nasser naveed naveen nestor niall niels nino nitin nnamdi noel noël
nuno néstor obinna octavio olivier ollie olu olumide orlando osvaldo otieno ottmar owain padraig pankaj pasquale
patricio pawel paweł pieter pietro pradip pranav pádraig qasim raffaele rafiq rahim rajiv raju ramiro ranjit regis
reinhard reinhold remi renato renzo rhodri riccardo rocco rogelio rohit ruairi ruaridh rui régis rémi rüdiger sachin
saeed salim salvatore sameer sandro sanjeev satish saverio segun shahid shankar siddharth siegfried silvano silvio
simone sion sipho sizwe siôn struan sudhir sumit sylvain tadhg tahir tecwyn thabo themba thiago thibaut thijs thorsten
tiago tobi tommaso tomos torben tormod tushar uday ugo ulrich umberto usman vaclav valentin valerio varun vicente
vikas vinay vinod vito vittorio volker waqar wekesa wes wilfried wim wojtek wolfgang wyn yash yasir zbyszek zdenek
zubair émile étienne
""".split()
)
